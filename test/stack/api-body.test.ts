import { validate } from '@scalar/openapi-validator';
import { expect, test } from 'vitest';
import { isServed, loadOperations } from '../../infra/operations.ts';
import { errorKinds } from '../../lib/errors/errors.ts';
import { cors, everyOption } from './some-options.ts';
import {
  apiBody,
  type Given,
  integrationName,
  type Json,
  refusalsName,
  synthesized,
} from './synthesized.ts';
import { rolesOf } from './template/roles.ts';

/** What is served: operations, and what agents call. */
const routes = (await loadOperations()).filter(isServed).map(({ operation }) => operation);

// The document from which API Gateway makes the API. CloudFormation's schemas and cdk-nag see nothing of it, and what API
// Gateway does not know of it, it leaves out with a warning that nobody reads. So what it has is compared as a whole.

/** API Gateway takes one name for what varies at a place: not `/leads/{a}` and `/leads/{b}/notes`. */
const otherNames = (paths: readonly string[]): string[] => {
  const names = new Map<string, string>();
  return paths.flatMap((path) =>
    path.split('/').flatMap((part, i, parts) => {
      if (!part.startsWith('{')) return [];
      const before = parts.slice(0, i).join('/');
      const first = names.get(before) ?? part;
      names.set(before, first);
      return first === part ? [] : [`${before}/${part} is ${first} elsewhere`];
    }),
  );
};

const anyMethod = 'x-amazon-apigateway-any-method';

const wrongIn = (body: Json): string[] => [
  ...(validate(body, { checkPathParameters: true }).errors ?? []).map(
    ({ path, message }) => `${String(path)}: ${message}`,
  ),
  ...otherNames(Object.keys(body.paths)),
];

test.each<[string, Given]>([
  ['no option', {}],
  ['one origin', { cors_origins: ['https://a.example'] }],
  ['two origins', cors],
  ['every option', everyOption],
])('with %s it is OpenAPI, of the parts that API Gateway knows', (_which, options) => {
  const body = apiBody(options);
  expect(wrongIn(body)).toEqual([]);
  expect(Object.keys(body)).toEqual(['openapi', 'info', 'paths', refusalsName]);
  expect(body.openapi).toMatch(/^3\.0\.\d$/);
  expect(body.info.title).toBe('LeadsAndStars');
});

test.each<[string, (paths: Json, body: Json) => void, RegExp]>([
  ['an unknown property', (_, body) => Object.assign(body, { colour: 1 }), /Property colour is no/],
  ['no responses', (paths) => delete paths['/leads'].get.responses, /have required .*responses/],
  ['an untold parameter', (paths) => delete paths['/leads/{lead_id}'].get.parameters, /"lead_id"/],
  ['another name', (paths) => Object.assign(paths, { '/leads/{id}/a': {} }), /\{id\} is \{lead_id/],
])('with a fault, it is found: %s', (_what, change, told) => {
  const body = structuredClone(apiBody(cors));
  change(body.paths, body);
  expect(wrongIn(body)).toContainEqual(expect.stringMatching(told));
});

test('its old routes go when it comes anew, and it is made for one region', () => {
  synthesized().hasResourceProperties('AWS::ApiGateway::RestApi', {
    Name: 'LeadsAndStars',
    Mode: 'overwrite',
    EndpointConfiguration: { Types: ['REGIONAL'] },
    Parameters: { endpointConfigurationTypes: 'REGIONAL' },
  });
});

/** The operations of a body, by method and path. */
const operationsOf = (body: Json, which: (method: string) => boolean): Record<string, Json> =>
  Object.fromEntries(
    Object.entries<Json>(body.paths).flatMap(([path, item]) =>
      Object.entries<Json>(item)
        .filter(([method]) => which(method))
        .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );

const parametersOf = (path: string) => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const taken = { in: 'path', required: true, schema: { type: 'string' } };
  return names.length > 0 && { parameters: names.map((name) => ({ name, ...taken })) };
};

const template = synthesized(cors);
const functions = template.findResources('AWS::Lambda::Function');
const invokers = [...rolesOf(template.toJSON().Resources, 'apigateway.amazonaws.com')].filter(
  ([, all]) => all.length > 0,
);
const invokerOf = (path: string): RegExp =>
  path.startsWith('/billing/') ? /^ApiBillingInvoker/ : /^ApiInvoker/;
const functionNamed = (name: string) =>
  Object.keys(functions).find((id) => functions[id]!.Properties.FunctionName === name)!;

test('each operation has its route, to its function, and there is no other', () => {
  const expected = routes.map(({ id, method, path, response }) => {
    const lambda = ':lambda:path/2015-03-31/functions/';
    const arn = { 'Fn::GetAtt': [functionNamed(`LeadsAndStars-${id}`), 'Arn'] };
    const service = ['arn:', { Ref: 'AWS::Partition' }, ':apigateway:', { Ref: 'AWS::Region' }];
    const operation = {
      operationId: id,
      ...parametersOf(path),
      responses: { [response.status]: { description: expect.any(String) } },
      [integrationName]: {
        type: 'aws_proxy',
        httpMethod: 'POST',
        uri: { 'Fn::Join': ['', [...service, lambda, arn, '/invocations']] },
        credentials: { 'Fn::GetAtt': [expect.stringMatching(invokerOf(path)), 'Arn'] },
        timeoutInMillis: 10_000,
      },
    };
    return [`${method} ${path}`, operation];
  });
  const others = ['options', anyMethod];
  const found = operationsOf(apiBody(cors), (method) => !others.includes(method));
  expect(found).toEqual(Object.fromEntries(expected));
  expect(Object.keys(found).length).toBeGreaterThan(40);
});

test('each operation is invoked by its role, and no role may invoke another function', () => {
  expect(invokers.length).toBe(2);
  for (const [invoker, statements] of invokers) {
    expect(statements).toEqual([
      { Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource: expect.any(Array) },
    ]);
    const named = statements[0]!.Resource.map((one: Json) => one['Fn::GetAtt'][0]);
    const own = routes.filter(({ path }) => invokerOf(path).test(invoker));
    const wanted = own.map(({ id }) => functionNamed(`LeadsAndStars-${id}`));
    expect(wanted.length).toBeGreaterThan(10);
    expect(named.sort()).toEqual(wanted.sort());
  }
  // No function lets the API in by itself.
  const permissions = Object.values(template.findResources('AWS::Lambda::Permission'));
  const callers = permissions.map(({ Properties }) => Properties.Principal);
  expect(callers).not.toContain('apigateway.amazonaws.com');
});

test.each<[string, Given, string[]]>([
  ['', {}, []],
  [' and OPTIONS', cors, ['OPTIONS']],
])('each path answers all other methods with those that it has%s', (_, options, more) => {
  const others = operationsOf(apiBody(options), (method) => method === anyMethod);
  const paths = [...new Set(routes.map(({ path }) => path))];
  expect(Object.keys(others).sort()).toEqual(
    paths.map((path) => `${anyMethod.toUpperCase()} ${path}`).sort(),
  );
  for (const path of paths) {
    const own = routes.filter((one) => one.path === path).map(({ method }) => method as string);
    const allowed = [...own, ...more].sort().join(', ');
    const { [integrationName]: integration, ...operation } =
      others[`${anyMethod.toUpperCase()} ${path}`]!;
    const { type, passthroughBehavior, requestTemplates, responses } = integration;
    expect([type, passthroughBehavior]).toEqual(['mock', 'never']);
    expect(new Set(Object.values(requestTemplates))).toEqual(new Set(['{ statusCode: 405 }']));
    const { statusCode, responseParameters, responseTemplates } = responses.default;
    const { error } = JSON.parse(responseTemplates['application/json']);
    expect([statusCode, error]).toEqual([
      '405',
      {
        code: 'method_not_allowed',
        message: errorKinds.method_not_allowed.message,
        request_id: '$context.requestId',
        details: [{ path: 'method', message: `can be ${allowed}` }],
      },
    ]);
    expect(responseParameters).toMatchObject({
      'method.response.header.Allow': `'${allowed}'`,
      'method.response.header.X-Request-Id': 'context.requestId',
    });
    // API Gateway sends only headers that the method names.
    const names = Object.keys(operation.responses[405].headers);
    expect(Object.keys(responseParameters).sort()).toEqual(
      names.map((name) => `method.response.header.${name}`).sort(),
    );
  }
});

const preflightsOf = (options: Given) =>
  operationsOf(apiBody(options), (method) => method === 'options');

test('preflights are none without origins, nor anything else of them', () => {
  expect(preflightsOf({})).toEqual({});
  for (const part of ['Access-Control', 'CORS_ORIGINS']) {
    expect(JSON.stringify(synthesized())).not.toContain(part);
    expect(JSON.stringify(synthesized(cors))).toContain(part);
  }
});

test.each([
  ['one origin', ['https://a.example'], undefined],
  ['several', ['https://a.example', 'https://b.example'], '$origin == "https://b.example"'],
])('preflights are one for each path, all alike: of %s', (_count, cors_origins, condition) => {
  const allowed = Object.entries({
    'Access-Control-Allow-Headers':
      'Authorization,Content-Type,X-Organization-Id,Idempotency-Key,If-Match,MCP-Protocol-Version,Mcp-Method,Mcp-Name',
    'Access-Control-Allow-Origin': 'https://a.example',
    'Access-Control-Allow-Methods': 'GET,POST,PUT,PATCH,DELETE',
    'Access-Control-Max-Age': '7200',
    Vary: 'Origin',
  });
  const headers = allowed.map(([name]) => [name, { schema: { type: 'string' } }]);
  const sent = allowed.map(([name, value]) => [`method.response.header.${name}`, `'${value}'`]);
  const answer = {
    statusCode: '204',
    responseParameters: Object.fromEntries(sent),
    ...(condition && {
      responseTemplates: {
        'application/json': expect.stringContaining(`#if(${condition})\n  #set($context`),
      },
    }),
  };
  const expected = routes.map(({ path }) => [
    `OPTIONS ${path}`,
    {
      ...parametersOf(path),
      responses: {
        204: { description: expect.any(String), headers: Object.fromEntries(headers) },
      },
      [integrationName]: {
        type: 'mock',
        requestTemplates: { 'application/json': '{ statusCode: 200 }' },
        responses: { default: answer },
      },
    },
  ]);
  expect(preflightsOf({ cors_origins })).toEqual(Object.fromEntries(expected));
});
