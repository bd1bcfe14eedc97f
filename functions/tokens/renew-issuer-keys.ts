import { serveScheduled } from '../../lib/handlers/worker.ts';
import { defineScheduledTask } from '../../lib/operations/scheduled-task.ts';
import { renewEvery, renewKeptKeys } from '../../lib/tokens/kept-keys.ts';

export const operation = defineScheduledTask({
  id: 'renewIssuerKeys',
  summary:
    'Keeps the issuer’s keys in the table, where the other functions find them when they start.',
  everyMinutes: renewEvery / 60_000,
  asksIssuer: true,
  table: ['PutItem'],

  handle: (table) => renewKeptKeys(table, process.env.JWKS_URI ?? ''),
});

export const handler = serveScheduled(operation);
