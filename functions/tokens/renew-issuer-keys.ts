import { serveScheduled } from '../../lib/handlers/worker.ts';
import { defineScheduled } from '../../lib/operations/operation.ts';
import { renewEvery, renewKeptKeys } from '../../lib/tokens/kept-keys.ts';

export const operation = defineScheduled({
  id: 'renewIssuerKeys',
  summary:
    'Keeps the issuer’s keys in the table, where the other functions find them when they start.',
  everyMinutes: renewEvery / 60_000,
  asksIssuer: true,
  table: ['PutItem'],

  handle: (table) => renewKeptKeys(table, process.env.JWKS_URI ?? ''),
});

export const handler = serveScheduled(operation);
