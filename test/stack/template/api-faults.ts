import { type Body, integrationName, refusalsName } from './api-body.ts';

/** A fault: what it is, the way to it through the body, apart by blanks, what makes it there, and how it is told. */
type Fault = [what: string, way: string, value: unknown, told: RegExp];

const get = 'paths /leads get';
const integration = `${get} ${integrationName}`;
const preflight = 'paths /leads options';
const response = `${preflight} ${integrationName} responses default`;
const throttled = `${refusalsName} THROTTLED`;
const gone = undefined;

/** Makes a fault in a body. */
export const makeFault = (body: Body, [, way, value]: Fault): void => {
  const names = way.split(' ');
  const last = names.pop()!;
  const at = names.reduce((inner, name) => inner[name], body);
  if (value === gone) delete at[last];
  else at[last] = value;
};

/** One for each check. */
export const apiFaults: Fault[] = [
  ['another OpenAPI', 'openapi', '3.1.0', /^OpenAPI 3\.1\.0$/],
  ['an unknown property', 'colour', 'blue', /^: Property colour is not expected/],
  ['no responses', `${get} responses`, gone, /get: must have required property 'responses'/],
  [
    'a parameter that is not told',
    'paths /leads/{lead_id} get parameters',
    gone,
    /"lead_id" needs/,
  ],
  [
    'another name in the path',
    'paths /leads/{id}/notes',
    {},
    /^\/leads\/\{id\} is \{lead_id\} els/,
  ],
  ['an id that another has', `${get} operationId`, 'createLead', /^createLead is the id of two$/],
  ['an extension elsewhere', integrationName, {}, /^the body has x-amazon-apigateway-integration$/],
  ['an unknown extension', `${get} x-amazon-a`, {}, /^get \/leads has x-amazon-a$/],
  ['no integration', integration, gone, /^get \/leads: invalid_type$/],
  ['an unknown field of it', `${integration} timeout`, 10, /leads: unrecognized_keys timeout$/],
  ['too long a timeout', `${integration} timeoutInMillis`, 29_001, /timeoutInMillis: too_big$/],
  ['an invocation by GET', `${integration} httpMethod`, 'GET', /^get \/leads invokes by GET$/],
  ['one by no role', `${integration} credentials`, gone, /invokes by no role$/],
  [
    'one of a function’s name',
    `${integration} uri`,
    'listLeads',
    /^get \/leads invokes listLeads$/,
  ],
  ['a preflight of 200', `${response} statusCode`, '200', /maps to 200, which it does not answer$/],
  [
    'a stray header',
    `${preflight} responses 204 headers Vary`,
    gone,
    /maps to Vary, which 204 does/,
  ],
  [
    'a header without quotes',
    `${response} responseParameters method.response.header.Vary`,
    'Origin',
    /method.response.header.Vary: invalid_format$/,
  ],
  [
    'an unknown refusal',
    `${refusalsName} TOO_SLOW`,
    {},
    /^refusals.*: unrecognized_keys TOO_SLOW$/,
  ],
  ['its status as a number', `${throttled} statusCode`, 429, /^refusals THROTTLED statusCode: /],
  [
    'its header without a prefix',
    `${throttled} responseParameters Via`,
    "'1'",
    /THROTTLED .* Via: /,
  ],
  [
    'its body that is not JSON',
    `${throttled} responseTemplates application/json`,
    '{"error":$context.error.message}',
    /^THROTTLED is not JSON$/,
  ],
];
