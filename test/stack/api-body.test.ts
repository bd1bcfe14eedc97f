import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { routes } from '../support/api.ts';
import { cors, everyOption } from './some-options.ts';
import { type Given, synthesized } from './synthesized.ts';
import { type Body, integrationName, wrongInBody } from './template/api-body.ts';
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
