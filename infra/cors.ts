import { methods } from '../lib/operations/route.ts';

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'X-Organization-Id',
  'Idempotency-Key',
  'If-Match',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
];

/** How API Gateway itself answers a browser that asks whether it may send a request: an operation of its body. */
export const preflight = (origins: readonly string[]): object => {
  const [first, ...others] = origins;
  const headers = {
    'Access-Control-Allow-Headers': allowedHeaders.join(','),
    'Access-Control-Allow-Origin': first,
    'Access-Control-Allow-Methods': methods.join(','),
    // Seconds: no browser keeps it for longer.
    'Access-Control-Max-Age': '7200',
    Vary: 'Origin',
  };
  const each = (value: (name: string, text: string | undefined) => [string, unknown]) =>
    Object.fromEntries(Object.entries(headers).map(([name, text]) => value(name, text)));
  return {
    responses: {
      '204': {
        description: 'What a page may send.',
        headers: each((name) => [name, { schema: { type: 'string' } }]),
      },
    },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      requestTemplates: { 'application/json': '{ statusCode: 200 }' },
      responses: {
        default: {
          statusCode: '204',
          responseParameters: each((name, text) => [`method.response.header.${name}`, `'${text}'`]),
          ...(others.length > 0 && {
            responseTemplates: { 'application/json': namesOneOf(others) },
          }),
        },
      },
    },
  };
};

/** A template that names the origin of the request, if it is one of these, in place of the first. */
const namesOneOf = (origins: readonly string[]): string =>
  [
    '#set($origin = $input.params().header.get("Origin"))',
    '#if($origin == "")',
    '  #set($origin = $input.params().header.get("origin"))',
    '#end',
    `#if(${origins.map((origin) => `$origin == "${origin}"`).join(' || ')})`,
    '  #set($context.responseOverride.header.Access-Control-Allow-Origin = $origin)',
    '#end',
  ].join('\n');
