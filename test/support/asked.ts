import { places } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/table.ts';
import { newProgress } from '../../lib/webhooks/delivery/delivery-rules.ts';
import { progressAttributes } from '../../lib/webhooks/delivery/progress-item.ts';

// What is stored because somebody asked for it, without what the service does about it a moment later.

/** Changes are numbered a moment later. */
export const unnumbered = ({
  feed: _feed,
  sequence: _sequence,
  numbered_at: _numberedAt,
  ...item
}: Item): Item => item;

/** How far a webhook's worker is, and what it has to itself meanwhile. An owner's change counts up the version too. */
const workers = new Set([
  ...Object.keys(progressAttributes(newProgress(0))),
  ...['tests', 'revision', 'facts', 'lease_token', 'lease_until', 'due_at'],
]);

/** Of a webhook what was asked for: where its worker is differs from moment to moment. */
export const asAsked = (item: Item): Item =>
  String(item.pk).startsWith(places.webhook.prefix)
    ? Object.fromEntries(Object.entries(item).filter(([name]) => !workers.has(name)))
    : item;
