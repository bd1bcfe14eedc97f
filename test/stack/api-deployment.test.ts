import { readFileSync } from 'node:fs';
import { CfnRestApi } from 'aws-cdk-lib/aws-apigateway';
import { expect, test } from 'vitest';
import { cors } from './some-options.ts';
import { type Given, integrationName, type Json, refusalsName, serviceApp } from './synthesized.ts';

// A stage serves a deployment: what the API was when that was made. Without a new one, no change is served.

/** The logical id of the deployment once the body is changed. */
const deploymentOnce = (change: (body: Json) => void, options: Given = cors): string => {
  const app = serviceApp({ ...options, deployment: 'changed' });
  const [api] = app.node.findAll().filter((one) => one instanceof CfnRestApi);
  change(api!.body);
  const [stack] = app.synth().stacks;
  const { Resources } = JSON.parse(readFileSync(stack!.templateFullPath, 'utf8'));
  const all = Object.entries<Json>(Resources);
  const [id] = all.find(([, { Type }]) => Type === 'AWS::ApiGateway::Deployment')!;
  const [, stage] = all.find(([, { Type }]) => Type === 'AWS::ApiGateway::Stage')!;
  expect(stage.Properties.DeploymentId).toEqual({ Ref: id });
  return id;
};

const unchanged = deploymentOnce(() => {});

const integration = (body: Json, method: string) => body.paths['/leads'][method][integrationName];
const others = { cors_origins: ['https://a.example', 'https://c.example'] };

const changes: [what: string, change: (body: Json) => void, options?: Given][] = [
  ['another route', ({ paths }) => Object.assign(paths, { '/more': paths['/leads'] })],
  [
    'another function of a route',
    (body) => Object.assign(integration(body, 'get'), { uri: integration(body, 'post').uri }),
  ],
  [
    'another header of a preflight',
    (body) =>
      Object.assign(integration(body, 'options').responses.default.responseParameters, {
        Vary: "'*'",
      }),
  ],
  [
    'another text of a refusal',
    (body) =>
      Object.assign(body[refusalsName].THROTTLED.responseTemplates, { 'application/json': '{}' }),
  ],
  ['other origins', () => {}, others],
];
const isAnew = (_what: string, change: (body: Json) => void, options?: Given) =>
  expect(deploymentOnce(change, options)).not.toBe(unchanged);
const title = 'the API’s deployment is made anew for %s';
// Each synthesizes.
test.each(changes.slice(0, 1))(title, isAnew);
test.each(changes.slice(1))(title, { tags: ['long'] }, isAnew);

test('the API’s deployment stays while the body does', () => {
  expect(deploymentOnce(() => {})).toBe(unchanged);
  expect(deploymentOnce(() => {}, { ...cors, requests_per_second: 10 })).toBe(unchanged);
});
