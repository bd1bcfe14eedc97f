import { type RestApi, readRestApi } from '@leads-and-stars/runner';
import { expect, test } from 'vitest';

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

const otherMethods = {
  type: 'mock',
  passthroughBehavior: 'never',
  requestTemplates: { 'application/json': '{ statusCode: 405 }' },
  responses: {
    default: {
      statusCode: '405',
      responseParameters: { 'method.response.header.Allow': "'POST'" },
      responseTemplates: { 'application/json': '{}' },
    },
  },
};

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
            'x-amazon-apigateway-any-method': {
              responses,
              'x-amazon-apigateway-integration': otherMethods,
            },
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
  const headers = { 'X-Request-Id': 'context.requestId', 'Retry-After': '1' };
  expect(readRestApi(make())).toEqual({
    stage: 'v1',
    routes: [
      { method: 'GET', path, functionLogicalId, timeoutMilliseconds: 29_000 },
      { method: 'POST', path: '/things', functionLogicalId, timeoutMilliseconds: 10_000 },
    ],
    preflights: [
      { ...allowed, path, moreOrigins: ['https://b.example', 'https://c.example'] },
      { ...allowed, path: '/things', moreOrigins: [] },
    ],
    otherMethods: [
      {
        path: '/things',
        response: { statusCode: 405, headers: { Allow: 'POST' }, template: '{}' },
      },
    ],
    gatewayResponses: new Map([['THROTTLED', { statusCode: 429, headers, template: '{}' }]]),
  } satisfies RestApi);
});

test('a stack with none, or with two, is not played', () => {
  const { Rest, Stage } = make();
  expect(() => readRestApi({ Rest, Stage, other: Rest })).toThrow(/not just one REST API$/);
  expect(() => readRestApi({ Stage })).toThrow(/not just one REST API$/);
});
