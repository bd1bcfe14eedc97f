import { serveScheduled } from '../../lib/handlers/worker.ts';
import { defineScheduledTask } from '../../lib/operations/kinds/scheduled-task.ts';
import { lookEveryMs, wakeDue } from '../../lib/webhooks/delivery/due-times.ts';

export const operation = defineScheduledTask({
  id: 'wakeDueWebhooks',
  summary: 'Looks for webhooks that have waited long enough, or whose wake was lost.',
  everyMinutes: lookEveryMs / 60_000,
  table: ['Query'],

  handle: (table, wakes) => wakeDue(table, wakes, Date.now()),
});

export const handler = serveScheduled(operation);
