import * as z from 'zod/mini';
import { change } from '../../lib/changes/change.ts';
import { testBody } from '../../lib/webhooks/endpoint/test-message.ts';
import type { Schemas } from './schemas.ts';

const header = (name: string, description: string, schema: object) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', ...schema },
});

const waits = { description: 'The webhook waits as long as `Retry-After` says, at most a day.' };

/** What a service that has a webhook receives, as OpenAPI's `webhooks`. */
export const posted = (schemas: Schemas) => ({
  message: {
    post: {
      operationId: 'receiveMessage',
      tags: ['Webhooks'],
      summary: 'Receive a message',
      description:
        'Posted to the address of a webhook: a change as `GET /changes` has it, or a test. It may come more than ' +
        'once, with the same `webhook-id`. Signed as Standard Webhooks 1.0 has it. Any 2xx says that it was taken, ' +
        'and 410 that no more is wanted. With any other answer, or none in 15 seconds, a change is tried again.',
      security: [],
      parameters: [
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
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: schemas.add(z.union([change, testBody]), 'output') },
        },
      },
      responses: {
        204: { description: 'It was taken. Any other 2xx says so too.' },
        410: { description: 'No more is wanted: the webhook is `disabled`.' },
        429: waits,
        503: waits,
      },
    },
  },
});
