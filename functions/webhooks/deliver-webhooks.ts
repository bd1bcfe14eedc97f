import { serveWorker } from '../../lib/handlers/worker.ts';
import { defineBackground } from '../../lib/operations/kinds/background.ts';
import { wake } from '../../lib/queues/wakes.ts';
import { deliveryGrants, postsAtOnce } from '../../lib/webhooks/delivery/delivery-session.ts';
import { deliver } from '../../lib/webhooks/delivery/worker.ts';
import { Endpoint } from '../../lib/webhooks/endpoint/endpoint.ts';

export const operation = defineBackground({
  kind: 'worker',
  id: 'deliverWebhooks',
  summary: 'Posts the changes of an organization to its webhooks.',
  message: wake,
  table: deliveryGrants,
  // Posts start for 25, the last of them may take 15.
  timeoutSeconds: 50,
  // An organization has ten webhooks at most, and slow endpoints keep a worker each: ten organizations fill these.
  concurrency: 100,

  handle: (message, table, { wakes, isRedelivered }) =>
    deliver(
      { table, wakes, now: Date.now, openEndpoint: (url) => new Endpoint(url, postsAtOnce) },
      message,
      isRedelivered,
    ),
});

export const handler = serveWorker(operation);
