import { readFileSync } from 'node:fs';
import { CfnRestApi } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, test } from 'vitest';
import { cors } from './some-options.ts';
import { type Given, serviceApp } from './synthesized.ts';
import { type Body, integrationName, refusalsName } from './template/api-body.ts';

// A stage serves a deployment: what the API was when that was made. Without a new one, no change is served.

describe('the API’s deployment', () => {
  /** The logical id of the deployment once the body is changed. */
  const deploymentOnce = (change: (body: Body) => void, options: Given = cors): string => {
    const app = serviceApp({ ...options, deployment: 'changed' });
    const [api] = app.node.findAll().filter((one) => one instanceof CfnRestApi);
    change(api!.body);
    const [stack] = app.synth().stacks;
    const { Resources } = JSON.parse(readFileSync(stack!.templateFullPath, 'utf8'));
    const ids = Object.keys(Resources).filter(
      (id) => Resources[id].Type === 'AWS::ApiGateway::Deployment',
    );
    const stages = Object.values<Body>(Resources).filter(
      ({ Type }) => Type === 'AWS::ApiGateway::Stage',
    );
    expect(stages.map(({ Properties }) => Properties.DeploymentId)).toEqual([{ Ref: ids[0] }]);
    return ids.join();
  };

  const unchanged = deploymentOnce(() => {});

  const integration = (body: Body, method: string) => body.paths['/leads'][method][integrationName];

  test.each<[string, (body: Body) => void]>([
    [
      'another route',
      ({ paths }) => {
        paths['/more'] = paths['/leads'];
      },
    ],
    [
      'another function of a route',
      (body) => {
        integration(body, 'get').uri = integration(body, 'post').uri;
      },
    ],
    [
      'another header of a preflight',
      (body) => {
        const { responseParameters } = integration(body, 'options').responses.default;
        responseParameters['method.response.header.Access-Control-Max-Age'] = "'60'";
      },
    ],
    [
      'another text of a refusal',
      (body) => {
        body[refusalsName].THROTTLED.responseTemplates['application/json'] = '{}';
      },
    ],
  ])('is made anew for %s', (_what, change) => {
    expect(deploymentOnce(change)).not.toBe(unchanged);
  });

  test('… and for other origins', () => {
    const others = { cors_origins: ['https://a.example', 'https://c.example'] };
    expect(deploymentOnce(() => {}, others)).not.toBe(unchanged);
  });

  test('stays while the body does', () => {
    expect(deploymentOnce(() => {})).toBe(unchanged);
    expect(deploymentOnce(() => {}, { ...cors, requests_per_second: 10 })).toBe(unchanged);
  });
});
