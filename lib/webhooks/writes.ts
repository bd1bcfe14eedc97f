import { dueKind } from '../consumers/due-times.ts';
import { atRevision, hasLease, noLease, takeLease, updateFollower } from '../consumers/follower.ts';
import { putWake } from '../consumers/wake-item.ts';
import type { WriteOrFact } from '../facts/transaction.ts';
import { countWebhooks } from '../organizations/limits.ts';
import { absent, all, atVersion, compare } from '../table/condition.ts';
import { ConflictError } from '../table/retry.ts';
import type { Write } from '../table/table.ts';
import { put, remove, withoutFact } from '../table/write.ts';
import type { Progress } from './delivery/delivery-rules.ts';
import { dueIdsOf, firstWebhookDue } from './delivery/next-work.ts';
import { progressAttributes } from './delivery/progress-item.ts';
import { webhookFact } from './facts.ts';
import { idOf, type StoredWebhook, type WebhookAttributes, webhookKind } from './stored-webhook.ts';

// An owner's change takes the lease away: what the worker knows by then is out of date.

/** Tests that wait to be sent, of one webhook, at most. */
export const mostTests = 10;

const keyOf = (item: StoredWebhook) => webhookKind.key(webhookKind.idsOf(item));

const refused = () => new ConflictError();

/** Makes a webhook, and counts it: the fact of it wakes the worker. Refused with `limit_reached`. */
export const createWebhookWrites = (
  organizationId: string,
  item: StoredWebhook,
  now: number,
): WriteOrFact<'PutItem' | 'UpdateItem'>[] => {
  const due = firstWebhookDue(organizationId, item, now);
  return [
    countWebhooks(organizationId, 1),
    put(keyOf(item), { ...item, ...due.set }, { condition: absent }),
    webhookFact(organizationId, idOf(item), { type: 'webhook.created', after: item, now }),
    ...due.writes,
  ];
};

/** What its owner changes of a webhook. */
export interface WebhookUpdate {
  /** What is told of it. */
  type?: 'webhook.disabled';
  /** What is undefined is removed. */
  set: Partial<Pick<WebhookAttributes, 'url' | 'types' | 'description' | 'secrets' | 'feed_id'>>;
  progress?: Progress;
  /** Milliseconds since the epoch. */
  now: number;
}

const attributesAfter = (item: StoredWebhook, { set, progress, now }: WebhookUpdate) => ({
  ...set,
  version: item.version + 1,
  facts: item.facts + 1,
  updated_at: new Date(Math.max(now, Date.parse(item.updated_at))).toISOString(),
  ...(progress && progressAttributes(progress)),
});

/** The webhook as it is after a change. */
export const applyUpdate = (item: StoredWebhook, change: WebhookUpdate): StoredWebhook => ({
  ...item,
  ...attributesAfter(item, change),
});

/** Updates what was read: the fact of it wakes the worker. Refused with `ConflictError`. */
export const updateWebhookWrites = (
  organizationId: string,
  item: StoredWebhook,
  change: WebhookUpdate,
): WriteOrFact<'PutItem' | 'UpdateItem'>[] => {
  // Where the progress is changed, the transaction is refused if a worker has written meanwhile when it is due.
  const after = applyUpdate(item, change);
  const due = change.progress && firstWebhookDue(organizationId, after, change.now);
  const isSame = all(atVersion(item.version), atFacts(item));
  return [
    updateFollower(
      keyOf(item),
      { set: { ...attributesAfter(item, change), ...due?.set, ...noLease } },
      change.progress ? all(isSame, atRevision(item)) : isSame,
    ),
    webhookFact(organizationId, idOf(item), {
      type: change.type ?? 'webhook.updated',
      before: item,
      after,
      now: change.now,
    }),
    ...(due?.writes ?? []),
  ];
};

/** Condition: no fact was told of the webhook since it was read. */
const atFacts = ({ facts }: StoredWebhook) => compare('facts', '=', facts);

/** Has a test with this id sent; refused with `ConflictError`. */
export const testWebhookWrites = (
  organizationId: string,
  item: StoredWebhook,
  id: string,
  now: number,
): Write<'PutItem' | 'UpdateItem'>[] => [
  withoutFact(
    updateFollower(
      keyOf(item),
      { set: { tests: { ...item.tests, [id]: new Date(now).toISOString() } } },
      all(atVersion(item.version), atRevision(item)),
    ),
  ),
  putWake(organizationId, now),
];

/** Refused with `ConflictError` if it is not as it was read. */
export const deleteWebhookWrites = (
  organizationId: string,
  webhookId: string,
  item: StoredWebhook,
  now: number,
): WriteOrFact<'DeleteItem' | 'UpdateItem' | 'PutItem'>[] => [
  remove(keyOf(item), { condition: all(atVersion(item.version), atFacts(item)), refused }),
  webhookFact(organizationId, webhookId, { type: 'webhook.deleted', before: item, now }),
  remove(dueKind.key(dueIdsOf(organizationId, webhookId))),
  countWebhooks(organizationId, -1),
];

/** Takes the lease of a webhook that nobody has; refused with `ConflictError`. */
export const leaseWebhook = (item: StoredWebhook, token: string, until: number) =>
  takeLease(keyOf(item), item, token, until);

/**
 * Writes how far a worker has come, and tells of another status; refused with `ConflictError` if the lease is not its own
 * any more. `item` is the webhook as the worker wrote it last.
 */
export const writeCheckpoint = (
  organizationId: string,
  item: StoredWebhook,
  token: string,
  { progress, sentTests, until, set, now }: SessionProgress,
): { after: StoredWebhook; writes: WriteOrFact<'UpdateItem'>[] } => {
  const isTold = progress.status !== item.status;
  const after: StoredWebhook = {
    ...item,
    ...progressAttributes(progress),
    ...(isTold && { facts: item.facts + 1 }),
  };
  const write = updateFollower(
    keyOf(item),
    {
      set: {
        ...progressAttributes(progress),
        ...(isTold && { facts: after.facts }),
        ...(until === undefined ? noLease : { lease_until: until }),
        ...set,
      },
      removeKeys: { tests: sentTests },
    },
    hasLease(token),
  );
  if (!isTold) return { after, writes: [withoutFact(write)] };
  const type = typesByStatus[progress.status];
  const told = { type, before: item, after, now };
  return { after, writes: [write, webhookFact(organizationId, idOf(item), told)] };
};

/** What is told of a status that a worker found. */
const typesByStatus = {
  active: 'webhook.resumed',
  paused: 'webhook.paused',
  disabled: 'webhook.disabled',
} as const;

interface SessionProgress {
  progress: Progress;
  sentTests: readonly string[];
  /** Undefined gives the lease back. */
  until: number | undefined;
  set?: { due_at: number | undefined } | undefined;
  now: number;
}
