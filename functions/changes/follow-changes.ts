import { serveWorker } from '../../lib/handlers/worker.ts';
import { defineBackground } from '../../lib/operations/kinds/background.ts';
import { wake } from '../../lib/queues/wakes.ts';
import { countUsage, usageGrants } from '../../lib/usage/projection.ts';
import { deliveryGrants, postsAtOnce } from '../../lib/webhooks/delivery/delivery-session.ts';
import { deliver } from '../../lib/webhooks/delivery/worker.ts';
import { Endpoint } from '../../lib/webhooks/endpoint/endpoint.ts';

export const operation = defineBackground({
  kind: 'worker',
  id: 'followChanges',
  summary: 'Posts the changes of an organization to its webhooks, and counts its usage.',
  message: wake,
  table: [...deliveryGrants, ...usageGrants],
  // Posts start for 25, the last of them may take 15.
  timeoutSeconds: 50,
  // An organization has ten webhooks at most, and slow endpoints keep a worker each: ten organizations fill these.
  concurrency: 100,

  async handle(message, table, { wakes, isRedelivered, tell }) {
    const context = { table, wakes, now: Date.now };
    const openEndpoint = (url: string) => new Endpoint(url, postsAtOnce);
    const onBehind = (usage_behind_ms: number) => tell({ usage_behind_ms });
    const results = await Promise.allSettled([
      deliver({ ...context, openEndpoint }, message, isRedelivered),
      countUsage({ ...context, onBehind }, message, isRedelivered),
    ]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  },
});

export const handler = serveWorker(operation);
