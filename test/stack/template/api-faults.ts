import { type Body, integrationName, refusalsName } from './api-body.ts';

/** A fault: what it is, the way to it through the body, what makes it there, and how it is told. */
type Fault = [what: string, way: string[], value: unknown, told: RegExp];

const leads = ['paths', '/leads', 'get'];
const lead = ['paths', '/leads/{lead_id}', 'get'];
const preflight = ['paths', '/leads', 'options'];
const response = [...preflight, integrationName, 'responses', 'default'];
const throttled = [refusalsName, 'THROTTLED'];
const gone = undefined;

/** Makes a fault in a body. */
export const makeFault = (body: Body, [, way, value]: Fault): void => {
  const last = way.at(-1)!;
  const at = way.slice(0, -1).reduce((inner, name) => inner[name], body);
  if (value === gone) delete at[last];
  else at[last] = value;
};

export const apiFaults: Fault[] = [
  ['another OpenAPI', ['openapi'], '3.1.0', /^OpenAPI 3\.1\.0$/],
  ['no version', ['info', 'version'], gone, /^\/info: must have required property 'version'$/],
  ['an unknown property', ['colour'], 'blue', /^: Property colour is not expected/],
  ['an unknown method', ['paths', '/leads', 'fetch'], {}, /Property fetch is not expected/],
  ['a path without a slash', ['paths', 'leads'], {}, /^\/paths: Property leads is not expected/],
  ['no responses', [...leads, 'responses'], gone, /get: must have required property 'responses'/],
  ['an empty list of them', [...leads, 'responses'], {}, /responses: minProperties/],
  [
    'a parameter that is not told',
    [...lead, 'parameters'],
    gone,
    /Declared path parameter "lead_id" needs/,
  ],
  [
    'another name of what is in the path',
    ['paths', '/leads/{id}/notes'],
    {},
    /^\/leads\/\{id\} is \{lead_id\} elsewhere$/,
  ],
  [
    'an id that another has',
    [...leads, 'operationId'],
    'createLead',
    /^createLead is the id of two$/,
  ],
  [
    'an extension elsewhere',
    [integrationName],
    {},
    /^the body has x-amazon-apigateway-integration$/,
  ],
  [
    'an unknown extension',
    [...leads, 'x-amazon-apigateway-integrations'],
    {},
    /^get \/leads has x-amazon-apigateway-integrations$/,
  ],
  ['no integration', [...leads, integrationName], gone, /^get \/leads: invalid_type$/],
  [
    'an unknown field of it',
    [...leads, integrationName, 'timeout'],
    10,
    /^get \/leads: unrecognized_keys timeout$/,
  ],
  [
    'an unknown type of it',
    [...leads, integrationName, 'type'],
    'AWS_PROXY',
    /^get \/leads type: invalid_value$/,
  ],
  [
    'a text for its timeout',
    [...leads, integrationName, 'timeoutInMillis'],
    '10000',
    /^get \/leads timeoutInMillis: invalid_type$/,
  ],
  [
    'too long a timeout',
    [...leads, integrationName, 'timeoutInMillis'],
    29_001,
    /^get \/leads timeoutInMillis: too_big$/,
  ],
  [
    'too short a timeout',
    [...leads, integrationName, 'timeoutInMillis'],
    49,
    /^get \/leads timeoutInMillis: too_small$/,
  ],
  [
    'an invocation by the method of the route',
    [...leads, integrationName, 'httpMethod'],
    'GET',
    /^get \/leads invokes by GET$/,
  ],
  ['one by no role', [...leads, integrationName, 'credentials'], gone, /invokes by no role$/],
  [
    'one of a function’s name',
    [...leads, integrationName, 'uri'],
    'LeadsAndStars-listLeads',
    /^get \/leads invokes LeadsAndStars-listLeads$/,
  ],
  [
    'a preflight that answers another status',
    [...response, 'statusCode'],
    '200',
    /^options \/leads maps to 200, which it does not answer$/,
  ],
  [
    'a status as a number',
    [...response, 'statusCode'],
    204,
    /^options \/leads responses default statusCode: invalid_type$/,
  ],
  [
    'a header that its response does not have',
    [...preflight, 'responses', '204', 'headers', 'Vary'],
    gone,
    /^options \/leads maps to Vary, which 204 does not have$/,
  ],
  [
    'a header without quotes',
    [...response, 'responseParameters', 'method.response.header.Vary'],
    'Origin',
    /method.response.header.Vary: invalid_format$/,
  ],
  [
    'a header without its prefix',
    [...response, 'responseParameters', 'Vary'],
    "'Origin'",
    /^options \/leads responses default responseParameters Vary: /,
  ],
  [
    'a template without a media type',
    [...response, 'responseTemplates'],
    { json: '{}' },
    /^options \/leads responses default responseTemplates json: /,
  ],
  [
    'an unknown type of refusal',
    [refusalsName, 'TOO_SLOW'],
    {},
    /^refusals.*: unrecognized_keys TOO_SLOW$/,
  ],
  [
    'an unknown field of one',
    [...throttled, 'responseHeaders'],
    {},
    /^refusals THROTTLED: unrecognized_keys responseHeaders$/,
  ],
  ['its status as a number', [...throttled, 'statusCode'], 429, /^refusals THROTTLED statusCode: /],
  ['a status that is none', [...throttled, 'statusCode'], '42', /^refusals THROTTLED statusCode: /],
  [
    'its header without quotes',
    [...throttled, 'responseParameters', 'gatewayresponse.header.Retry-After'],
    '1',
    /^refusals THROTTLED responseParameters gatewayresponse.header.Retry-After: /,
  ],
  [
    'its header without a prefix',
    [...throttled, 'responseParameters', 'Retry-After'],
    "'1'",
    /^refusals THROTTLED responseParameters Retry-After: /,
  ],
  [
    'its body that is not JSON',
    [...throttled, 'responseTemplates', 'application/json'],
    '{"error":$context.error.message}',
    /^THROTTLED is not JSON$/,
  ],
];
