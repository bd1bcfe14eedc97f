import { tellings } from '../../lib/changes/kinds.ts';
import { schemaNameOf } from '../../lib/changes/telling.ts';
import { testBody, testType } from '../../lib/webhooks/endpoint/test-message.ts';
import type { JsonSchema, Schemas } from './schemas.ts';

const header = (name: string, description: string, schema: object) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', ...schema },
});

const waits = { description: 'The webhook waits as long as `Retry-After` says, at most a day.' };

const parameters = [
  header('webhook-id', 'The `event_id`, the same on every attempt.', { format: 'uuid' }),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.', {
    pattern: '^\\d+$',
    maxLength: 12,
  }),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; two of these, with a space between, ' +
      'while two secrets are valid.',
    { maxLength: 100 },
  ),
];

const responses = {
  204: { description: 'It was taken. Any other 2xx says so too.' },
  410: { description: 'No more is wanted: the webhook is `disabled`.' },
  429: waits,
  503: waits,
};

const message = (type: string, says: string, schema: JsonSchema) => ({
  post: {
    operationId: `receive${schemaNameOf(type)}`,
    tags: ['Webhooks'],
    summary: `Receive ${type}`,
    description: `${says} Posted to the address of a webhook. It may come more than once, with the same \`webhook-id\`. Signed as Standard Webhooks 1.0 has it. With any answer but 2xx or 410, or none in 15 seconds, a change is tried again.`,
    security: [],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses,
  },
});

/** The messages that a service with a webhook receives, as OpenAPI's `webhooks`: an entry for each type. */
export const posted = (schemas: Schemas): Record<string, ReturnType<typeof message>> =>
  Object.fromEntries([
    ...Object.values(tellings).flatMap(({ types, schemas: each }) =>
      Object.entries(types).map(([type, { says }], i) => [
        type,
        message(type, says, schemas.add(each[i]!, 'output')),
      ]),
    ),
    [testType, message(testType, 'A test, which was asked for.', schemas.add(testBody, 'output'))],
  ]);
