import { readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import { CfnRestApi } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, test } from 'vitest';
import { errorKinds } from '../../lib/operations/errors.ts';
import { routes } from '../support/api.ts';
import { cors, everyOption } from './some-options.ts';
import { type Given, serviceApp, synthesized } from './synthesized.ts';
import {
  type Body,
  integrationName,
  refusalsName,
  refusalTypes,
  wrongInBody,
} from './template/api-body.ts';
import { apiFaults, makeFault } from './template/api-faults.ts';
import { rolesOf } from './template/roles.ts';

// The document from which API Gateway makes the API.

const bodyOf = (template: Template): Body => {
  const [api, ...others] = Object.values(template.findResources('AWS::ApiGateway::RestApi'));
  expect(others).toEqual([]);
  return api!.Properties.Body;
};

const bodyWith = (options: Given = {}): Body => bodyOf(synthesized(options));

describe('as far as it can be known here, API Gateway takes it', () => {
  test.each<[string, Given]>([
    ['no option', {}],
    ['one origin', { cors_origins: ['https://a.example'] }],
    ['two origins', cors],
    ['every option', everyOption],
  ])('with %s', (_which, options) => {
    expect(wrongInBody(bodyWith(options))).toEqual([]);
  });

  test.each(apiFaults)('with a fault, it is found: %s', (...fault) => {
    const body = structuredClone(bodyWith(cors));
    makeFault(body, fault);
    expect(wrongInBody(body)).toContainEqual(expect.stringMatching(fault[3]));
  });
});

test('its old routes go when it comes anew, and it is made for one region', () => {
  synthesized().hasResourceProperties('AWS::ApiGateway::RestApi', {
    Name: 'LeadsAndStars',
    Mode: 'overwrite',
    EndpointConfiguration: { Types: ['REGIONAL'] },
    Parameters: { endpointConfigurationTypes: 'REGIONAL' },
  });
  expect(bodyWith().info.title).toBe('LeadsAndStars');
});

/** The operations of a body, by method and path. */
const operationsOf = (body: Body, which: (method: string) => boolean): Record<string, Body> =>
  Object.fromEntries(
    Object.entries<Body>(body.paths).flatMap(([path, item]) =>
      Object.entries<Body>(item)
        .filter(([method]) => which(method))
        .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );

describe('each operation', () => {
  const template = synthesized(cors);
  const functions = template.findResources('AWS::Lambda::Function');
  const { Resources } = template.toJSON();
  const [[invoker, statements] = ['', []], ...otherRoles] = [
    ...rolesOf(Resources, 'apigateway.amazonaws.com'),
  ].filter(([, all]) => all.length > 0);
  const functionNamed = (name: string) =>
    Object.keys(functions).find((id) => functions[id]!.Properties.FunctionName === name)!;

  test('has its route, to its function, and there is no other', () => {
    const expected = routes.map(({ id, method, path, response }) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = names.map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      }));
      const operation = {
        operationId: id,
        ...(names.length > 0 && { parameters }),
        responses: { [response.status]: { description: expect.any(String) } },
        [integrationName]: {
          type: 'aws_proxy',
          httpMethod: 'POST',
          uri: {
            'Fn::Join': [
              '',
              [
                'arn:',
                { Ref: 'AWS::Partition' },
                ':apigateway:',
                { Ref: 'AWS::Region' },
                ':lambda:path/2015-03-31/functions/',
                { 'Fn::GetAtt': [functionNamed(`LeadsAndStars-${id}`), 'Arn'] },
                '/invocations',
              ],
            ],
          },
          credentials: { 'Fn::GetAtt': [invoker, 'Arn'] },
          timeoutInMillis: 10_000,
        },
      };
      return [`${method} ${path}`, operation];
    });
    const found = operationsOf(bodyOf(template), (method) => method !== 'options');
    expect(found).toEqual(Object.fromEntries(expected));
    expect(Object.keys(found).length).toBeGreaterThan(40);
  });

  test('is invoked by the one role, which may invoke the routes’ functions and no other', () => {
    expect(otherRoles).toEqual([]);
    expect(statements).toEqual([
      {
        Effect: 'Allow',
        Action: 'lambda:InvokeFunction',
        Resource: expect.any(Array),
      },
    ]);
    const named = statements[0]!.Resource.map((one: Body) => one['Fn::GetAtt'][0]);
    expect(named.sort()).toEqual(
      routes.map(({ id }) => functionNamed(`LeadsAndStars-${id}`)).sort(),
    );
  });
});

describe('preflights', () => {
  const preflightsOf = (options: Given) =>
    operationsOf(bodyWith(options), (method) => method === 'options');

  test('are none without origins', () => {
    expect(preflightsOf({})).toEqual({});
  });

  test.each([
    ['one origin', ['https://a.example'], undefined],
    ['several', ['https://a.example', 'https://b.example'], '$origin == "https://b.example"'],
    [
      'three',
      ['https://a.example', 'https://b.example', 'https://c.example'],
      '$origin == "https://b.example" || $origin == "https://c.example"',
    ],
  ])('are one for each path, all alike: of %s', (_count, cors_origins, condition) => {
    const found = preflightsOf({ cors_origins });
    const paths = [...new Set(routes.map(({ path }) => `OPTIONS ${path}`))];
    expect(Object.keys(found).sort()).toEqual(paths.sort());
    const all = Object.values(found).map((operation) => operation[integrationName]);
    const [first] = all;
    for (const one of all) expect(one).toEqual(first);
    const template = first.responses.default.responseTemplates?.['application/json'];
    expect(template?.match(/#if\((.*)\)\n {2}#set\(\$context/)?.[1]).toBe(condition);
    expect(first.responses.default.responseParameters).toEqual({
      'method.response.header.Access-Control-Allow-Headers':
        "'Authorization,Content-Type,X-Organization-Id,Idempotency-Key,If-Match'",
      'method.response.header.Access-Control-Allow-Origin': "'https://a.example'",
      'method.response.header.Access-Control-Allow-Methods': "'GET,POST,PUT,PATCH,DELETE'",
      'method.response.header.Access-Control-Max-Age': "'7200'",
      'method.response.header.Vary': "'Origin'",
    });
  });
});

describe('what the gateway refuses by itself', () => {
  const refusals: Record<string, Body> = bodyWith()[refusalsName];
  const answerOf = (type: string) => {
    const { statusCode, responseTemplates, responseParameters } = refusals[type];
    const { error } = JSON.parse(responseTemplates['application/json']);
    const retryAfter = responseParameters['gatewayresponse.header.Retry-After'];
    return { status: Number(statusCode), retryAfter, error };
  };

  test('is in the envelope, with a code of the one table', () => {
    for (const [type, { responseParameters }] of Object.entries(refusals)) {
      const { status, retryAfter, error } = answerOf(type);
      const kind = { retryAfter: undefined, ...errorKinds[error.code as keyof typeof errorKinds] };
      expect(status).toBe(kind.status);
      expect(retryAfter).toBe(kind.retryAfter && `'${kind.retryAfter}'`);
      expect(error).toEqual({
        code: error.code,
        message: kind.message,
        request_id: '$context.requestId',
      });
      expect(responseParameters).toMatchObject({
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
        'gatewayresponse.header.Strict-Transport-Security': "'max-age=31536000'",
      });
    }
  });

  const codes: [type: string, code: string][] = [
    ['ACCESS_DENIED', 'forbidden'],
    ['API_CONFIGURATION_ERROR', 'internal'],
    ['AUTHORIZER_CONFIGURATION_ERROR', 'internal'],
    ['AUTHORIZER_FAILURE', 'internal'],
    ['BAD_REQUEST_BODY', 'invalid_request'],
    ['BAD_REQUEST_PARAMETERS', 'invalid_request'],
    ['DEFAULT_4XX', 'invalid_request'],
    ['DEFAULT_5XX', 'internal'],
    ['EXPIRED_TOKEN', 'not_found'],
    ['INTEGRATION_FAILURE', 'internal'],
    ['INTEGRATION_TIMEOUT', 'timeout'],
    ['INVALID_API_KEY', 'invalid_request'],
    ['INVALID_SIGNATURE', 'not_found'],
    ['MISSING_AUTHENTICATION_TOKEN', 'not_found'],
    ['QUOTA_EXCEEDED', 'rate_limited'],
    ['REQUEST_TOO_LARGE', 'payload_too_large'],
    ['RESOURCE_NOT_FOUND', 'not_found'],
    ['THROTTLED', 'rate_limited'],
    ['UNAUTHORIZED', 'invalid_request'],
    ['UNSUPPORTED_MEDIA_TYPE', 'unsupported_media_type'],
    ['WAF_FILTERED', 'forbidden'],
  ];

  test.each(codes)('%s is %s', (type, code) => {
    const fallback = (refusalTypes[type] ?? 0) >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
    const { error } = answerOf(type in refusals ? type : fallback);
    expect(error.code).toBe(code);
    // The gateway can't know whether the function wrote something before it failed.
    expect(error.message).not.toMatch(/safe/);
  });

  test('is of every type that there is', () => {
    expect(codes.map(([type]) => type)).toEqual(Object.keys(refusalTypes));
  });

  test('does not depend on who asks: an unknown route looks the same with a token and without', () => {
    const withToken = ['INVALID_SIGNATURE', 'EXPIRED_TOKEN', 'RESOURCE_NOT_FOUND'].map(answerOf);
    const without = answerOf('MISSING_AUTHENTICATION_TOKEN');
    expect(withToken).toEqual([without, without, without]);
  });
});

describe('a deployment', () => {
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
      'one route less',
      ({ paths }) => {
        delete paths['/leads'].get;
      },
    ],
    [
      'another function of a route',
      (body) => {
        integration(body, 'get').uri = integration(body, 'post').uri;
      },
    ],
    [
      'another timeout of a route',
      (body) => {
        integration(body, 'get').timeoutInMillis = 9000;
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
    [
      'another header of a refusal',
      (body) => {
        delete body[refusalsName].THROTTLED.responseParameters[
          'gatewayresponse.header.Retry-After'
        ];
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
