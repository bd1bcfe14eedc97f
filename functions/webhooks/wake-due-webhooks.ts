import { dueCheckIntervalMs, wakeDueFollowers } from '../../lib/consumers/due-times.ts';
import { serveScheduled } from '../../lib/handlers/worker.ts';
import { defineBackground } from '../../lib/operations/kinds/background.ts';

export const operation = defineBackground({
  kind: 'scheduled',
  id: 'wakeDueWebhooks',
  summary: 'Wakes the worker for webhooks that are due for an attempt, or whose wake was lost.',
  everyMinutes: dueCheckIntervalMs / 60_000,
  needs: 'wakes',
  table: ['Query'],

  handle: (table, wakes) => wakeDueFollowers(table, wakes, Date.now()),
});

export const handler = serveScheduled(operation);
