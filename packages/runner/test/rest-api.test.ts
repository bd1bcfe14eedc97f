import { type RestApi, readRestApi } from '@leads-and-stars/runner';
import { expect, test } from 'vitest';

// What is read of an API's body, and that all else is refused: it would be played otherwise than AWS does it.

const service = 'arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/';
const proxy = () => ({
  type: 'aws_proxy',
  httpMethod: 'POST',
  uri: { 'Fn::Join': ['', [service, { 'Fn::GetAtt': ['Get', 'Arn'] }, '/invocations']] },
  credentials: { 'Fn::GetAtt': ['Invoker', 'Arn'] },
});

const template = (origins: string) =>
  [
    '#set($origin = $input.params().header.get("Origin"))',
    '#if($origin == "")',
    '  #set($origin = $input.params().header.get("origin"))',
    '#end',
    `#if(${origins})`,
    '  #set($context.responseOverride.header.Access-Control-Allow-Origin = $origin)',
    '#end',
  ].join('\n');

const mock = (text?: string) => ({
  type: 'mock',
  requestTemplates: { 'application/json': '{ statusCode: 200 }' },
  responses: {
    default: {
      statusCode: '204',
      responseParameters: { 'method.response.header.Vary': "'Origin'" },
      ...(text && { responseTemplates: { 'application/json': text } }),
    },
  },
});

const twoMore = '$origin == "https://b.example" || $origin == "https://c.example"';
const responses = { '200': { description: 'What the function answers.' } };

const make = () => ({
  Rest: {
    Type: 'AWS::ApiGateway::RestApi',
    Properties: {
      Name: 'MyApp',
      Mode: 'overwrite',
      Body: {
        openapi: '3.0.1',
        info: { title: 'MyApp', version: 'v1' },
        paths: {
          '/things/{id}': {
            get: {
              operationId: 'getThing',
              parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
              responses,
              'x-amazon-apigateway-integration': proxy(),
            },
            options: { responses, 'x-amazon-apigateway-integration': mock(template(twoMore)) },
          },
          '/things': {
            post: {
              responses,
              'x-amazon-apigateway-integration': { ...proxy(), timeoutInMillis: 10_000 },
            },
            options: { responses, 'x-amazon-apigateway-integration': mock() },
          },
        },
        'x-amazon-apigateway-gateway-responses': {
          THROTTLED: {
            statusCode: '429',
            responseParameters: {
              'gatewayresponse.header.X-Request-Id': 'context.requestId',
              'gatewayresponse.header.Retry-After': "'1'",
            },
            responseTemplates: { 'application/json': '{}' },
          },
        },
      },
    },
  },
  Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { StageName: 'v1' } },
});

test('routes, preflights and refusals are read', () => {
  const [path, functionLogicalId] = ['/things/{id}', 'Get'];
  const allowed = { statusCode: 204, headers: { Vary: 'Origin' } };
  const headers = { 'X-Request-Id': 'context.requestId', 'Retry-After': "'1'" };
  expect(readRestApi(make())).toEqual({
    stage: 'v1',
    throttle: undefined,
    routes: [
      { method: 'GET', path, functionLogicalId, timeoutMilliseconds: 29_000 },
      { method: 'POST', path: '/things', functionLogicalId, timeoutMilliseconds: 10_000 },
    ],
    preflights: [
      { ...allowed, path, moreOrigins: ['https://b.example', 'https://c.example'] },
      { ...allowed, path: '/things', moreOrigins: [] },
    ],
    gatewayResponses: new Map([['THROTTLED', { statusCode: 429, headers, template: '{}' }]]),
  } satisfies RestApi);
});

/** A way into the API's body, its segments apart by blanks, and what stands there then. */
type Unknown = [what: string, way: string, value: unknown, told: RegExp];

const get = 'paths /things/{id} get';
const options = 'paths /things/{id} options';
const integration = 'x-amazon-apigateway-integration';
const call = `${get} ${integration}`;
const preflight = `${options} ${integration}`;
const answer = `${preflight} responses default`;
const json = 'application/json';
const vary = 'method.response.header.Vary';
const header = 'responseParameters gatewayresponse.header';
const path = 'responseParameters gatewayresponse.path';
const fromRequest = 'method.request.header.vary';
const throttled = 'x-amazon-apigateway-gateway-responses THROTTLED';

test.each<Unknown>([
  ['another OpenAPI', 'openapi', '3.1.0', /OpenAPI 3\.1\.0$/],
  ['what else a body has', 'security', [], /know security of the API’s body$/],
  ['an extension of the body', 'x-amazon-apigateway-policy', {}, /know x-amazon-apigateway-pol/],
  ['a method for all others', 'paths /things x-amazon-apigateway-any-method', {}, /any-method/],
  ['parameters of a path', 'paths /things parameters', [], /the method parameters \/things$/],
  ['an authorizer', `${get} security`, [], /know security of get \/things\/\{id\}$/],
  ['a validator', `${get} x-amazon-apigateway-request-validator`, 'all', /know x-amazon-apig/],
  ['a parameter of the query', `${get} parameters`, [{ in: 'query' }], /and get \S+ has others$/],
  ['an operation without one', call, undefined, /the integration of g/],
  ['another integration', `${call} type`, 'http_proxy', /the integration of get/],
  ['a mock that is no preflight', call, mock(), /the integration of get/],
  ['an integration by GET', `${call} httpMethod`, 'GET', /by POST$/],
  ['a cache', `${call} cacheKeyParameters`, [], /know cacheKeyParameters of the int/],
  ['a function of another stack', `${call} uri`, 'arn:…', /the stack’s functions only/],
  ['an alias of a function', `${call} uri Fn::Join 1 2`, ':live/invocations', /functions only/],
  ['a preflight that takes bodies', `${preflight} passthroughBehavior`, 'never', /know passthro/],
  [
    'one of more than one response',
    `${preflight} responses 5..`,
    {},
    /know 5\.\. of the responses/,
  ],
  ['another template of it', `${answer} responseTemplates ${json}`, '#end', /templates of options/],
  ['another of its request', `${preflight} requestTemplates ${json}`, '{}', /templates of options/],
  [
    'its header of the request',
    `${answer} responseParameters ${vary}`,
    fromRequest,
    /er \S+Vary: /,
  ],
  ['a header of the request', `${throttled} ${header}.Via`, fromRequest, /response THROTTLED$/],
  ['a path of a refusal', `${throttled} ${path}.Via`, "'x'", /of the gateway response THROTTLED$/],
  ['a refusal without a body', `${throttled} responseTemplates`, {}, /no template of the gat/],
  [
    'a refusal in XML',
    `${throttled} responseTemplates text/xml`,
    '<e/>',
    /know text\/xml of the te/,
  ],
  ['what else a refusal has', `${throttled} description`, '', /know description of the gateway/],
])('it is refused to play %s', (_what, way, value, told) => {
  const resources = make();
  const names = way.split(' ');
  const last = names.pop()!;
  // biome-ignore lint/suspicious/noExplicitAny: a way through a body of every shape.
  const at = names.reduce<any>((inner, name) => inner[name], resources.Rest.Properties.Body);
  at[last] = value;
  expect(() => readRestApi(resources)).toThrow(told);
});

test('it is refused to play an API without a body, with other properties, of methods of its own, and two', () => {
  const { Rest, Stage } = make();
  const withProperties = (more: object) => ({
    Stage,
    Rest: { ...Rest, Properties: { ...Rest.Properties, ...more } },
  });
  expect(() => readRestApi(withProperties({ Body: undefined }))).toThrow(/has no body$/);
  expect(() => readRestApi(withProperties({ BinaryMediaTypes: [] }))).toThrow(/know BinaryMedia/);
  const method = { Type: 'AWS::ApiGateway::Method', Properties: {} };
  expect(() => readRestApi({ Rest, Stage, method })).toThrow(/know AWS::ApiGateway::Method: it/);
  expect(() => readRestApi({ Rest, Stage, other: Rest })).toThrow(/not just one REST API$/);
  expect(() => readRestApi({ Stage })).toThrow(/not just one REST API$/);
});
