import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { countWebhooks } from '../organizations/limits.ts';
import { absent, all, atVersion, type Condition, compare } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { Kind } from '../table/kind.ts';
import { ConflictError } from '../table/retry.ts';
import type { Write } from '../table/table.ts';
import { type ItemChange, put, remove, update } from '../table/write.ts';
import type { Progress } from './delivery/delivery-rules.ts';
import { dueKind, firstDue } from './delivery/due-times.ts';
import { progressAttributes } from './delivery/progress-item.ts';
import { type StoredWebhook, type WebhookAttributes, webhookKind } from './stored-webhook.ts';

// An owner's change takes the lease away: what the worker knows by then is out of date.

/** Tests that wait to be sent, of one webhook, at most. */
export const mostTests = 10;

const keyOf = (item: StoredWebhook) => webhookKind.key(webhookKind.idsOf(item));

const refused = () => new ConflictError();

/** Updates a webhook, and counts up `revision`; refused with `ConflictError`. */
const updateItem = (
  item: StoredWebhook,
  change: Omit<ItemChange<WebhookAttributes>, 'add'>,
  condition: Condition<WebhookAttributes>,
): Write<'UpdateItem'> =>
  update(keyOf(item), { ...change, add: { revision: 1 } }, { condition, refused });

const noLease = { lease_token: undefined, lease_until: undefined };

export const wakeKind = new Kind(places.wake, {
  holds: 'have an organization’s webhooks looked at',
  attributes: z.object({ expires_at: z.int() }),
});

/** Wakes the webhook worker for the organization after the transaction: by way of the table's stream. */
const putWake = (organizationId: string, now: number): Write<'PutItem'> =>
  put(wakeKind.key({ organizationId, wakeId: randomUUID() }), {
    expires_at: Math.floor(now / 1000) + 24 * 60 * 60,
  });

/** Makes a webhook, counts it, and wakes the worker. Refused with `limit_reached`. */
export const createWebhookWrites = (
  organizationId: string,
  item: StoredWebhook,
  now: number,
): Write<'PutItem' | 'UpdateItem'>[] => {
  const due = firstDue(organizationId, item, now);
  return [
    countWebhooks(organizationId, 1),
    put(keyOf(item), { ...item, ...due.set }, { condition: absent }),
    ...due.writes,
    putWake(organizationId, now),
  ];
};

/** What its owner changes of a webhook. */
export interface WebhookUpdate {
  /** What is undefined is removed. */
  set: Partial<Pick<WebhookAttributes, 'url' | 'types' | 'description' | 'secrets' | 'feed_id'>>;
  progress?: Progress;
  /** Milliseconds since the epoch. */
  now: number;
}

const attributesAfter = (item: StoredWebhook, { set, progress, now }: WebhookUpdate) => ({
  ...set,
  version: item.version + 1,
  updated_at: new Date(Math.max(now, Date.parse(item.updated_at))).toISOString(),
  ...(progress && progressAttributes(progress)),
});

/** The webhook as it is after a change. */
export const applyUpdate = (item: StoredWebhook, change: WebhookUpdate): StoredWebhook => ({
  ...item,
  ...attributesAfter(item, change),
});

/** Updates what was read, and wakes the worker; refused with `ConflictError`. */
export const updateWebhookWrites = (
  organizationId: string,
  item: StoredWebhook,
  change: WebhookUpdate,
): Write<'PutItem' | 'UpdateItem'>[] => {
  // Where the progress is changed, the transaction is refused if a worker has written meanwhile when it is due.
  const due = change.progress && firstDue(organizationId, applyUpdate(item, change), change.now);
  const isSame = atVersion(item.version);
  return [
    updateItem(
      item,
      { set: { ...attributesAfter(item, change), ...due?.set, ...noLease } },
      change.progress ? all(isSame, atRevision(item)) : isSame,
    ),
    ...(due?.writes ?? []),
    putWake(organizationId, change.now),
  ];
};

const atRevision = ({ revision }: StoredWebhook) => compare('revision', '=', revision);

/** Has a test with this id sent; refused with `ConflictError`. */
export const testWebhookWrites = (
  organizationId: string,
  item: StoredWebhook,
  id: string,
  now: number,
): Write<'PutItem' | 'UpdateItem'>[] => [
  updateItem(
    item,
    { set: { tests: { ...item.tests, [id]: new Date(now).toISOString() } } },
    all(atVersion(item.version), atRevision(item)),
  ),
  putWake(organizationId, now),
];

/** Refused with `ConflictError` if it is not as it was read. */
export const deleteWebhookWrites = (
  organizationId: string,
  webhookId: string,
  item: StoredWebhook,
): Write<'DeleteItem' | 'UpdateItem'>[] => [
  remove(keyOf(item), { condition: atVersion(item.version), refused }),
  remove(dueKind.key({ organizationId, webhookId })),
  countWebhooks(organizationId, -1),
];

/** Takes the lease of a webhook that nobody has; refused with `ConflictError`. */
export const takeLease = (item: StoredWebhook, token: string, until: number): Write<'UpdateItem'> =>
  updateItem(item, { set: { lease_token: token, lease_until: until } }, atRevision(item));

/** Writes how far a worker has come; refused with `ConflictError` if the lease is not its own any more. */
export const writeCheckpoint = (
  item: StoredWebhook,
  token: string,
  { progress, sentTests, until, set }: SessionProgress,
): Write<'UpdateItem'> =>
  updateItem(
    item,
    {
      set: {
        ...progressAttributes(progress),
        ...(until === undefined ? noLease : { lease_until: until }),
        ...set,
      },
      removeKeys: { tests: sentTests },
    },
    compare('lease_token', '=', token),
  );

interface SessionProgress {
  progress: Progress;
  sentTests: readonly string[];
  /** Undefined gives the lease back. */
  until: number | undefined;
  set?: { due_at: number | undefined } | undefined;
}
