import { serveScheduled } from '../../lib/handlers/worker.ts';
import { defineBackground } from '../../lib/operations/kinds/background.ts';
import { renewalIntervalMs, renewStoredKeys } from '../../lib/tokens/stored-keys.ts';

export const operation = defineBackground({
  kind: 'scheduled',
  id: 'renewIssuerKeys',
  summary:
    'Keeps the issuer’s keys in the table, where the other functions find them when they start.',
  everyMinutes: renewalIntervalMs / 60_000,
  needs: 'issuer',
  table: ['PutItem ISSUER#'],

  handle: (table) => renewStoredKeys(table, process.env.JWKS_URI ?? ''),
});

export const handler = serveScheduled(operation);
