import { randomUUID } from 'node:crypto';
import { countWebhooks } from '../organizations/limits.ts';
import { dueKey, type Key, wakeKey, webhookKey } from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
import type { Item, Write } from '../table/table.ts';
import type { Progress } from './delivery/delivery-rules.ts';
import { firstDue } from './delivery/due-times.ts';
import { progressAttributes } from './delivery/progress-item.ts';
import { webhookVersion } from './webhook.ts';

// A webhook is one item. Its owner changes the settings, on their `version`; a worker the progress, on the
// token of its lease. Whatever changes progress or lease also counts up `revision`. An owner's change takes
// the lease away: what the worker knows by then is out of date.

/** Tests that wait to be sent, of one webhook, at most. */
export const mostTests = 10;

interface Update {
  /** Values by attribute, or by a path to what is within one; what is undefined is removed. */
  set: Item;
  /** The attributes, with their values, that the update is decided on. */
  if: Item;
}

/** Updates attributes, and counts up `revision`; refused with `ConflictError`. */
const updateItem = (key: Key, { set, if: expected }: Update): Write<'UpdateItem'> => {
  const names: Record<string, string> = { '#revision': 'revision' };
  const values: Item = { ':one': 1 };
  const nameOf = (path: string) =>
    path
      .split('.')
      .map((part) => {
        const name = `#${part.replaceAll('-', '_')}`;
        names[name] = part;
        return name;
      })
      .join('.');
  const equation = ([path, value]: [string, unknown]) => {
    const name = `:v${Object.keys(values).length}`;
    values[name] = value;
    return `${nameOf(path)} = ${name}`;
  };
  const all = Object.entries(set);
  const sets = all.filter(([, value]) => value !== undefined).map(equation);
  const removes = all.filter(([, value]) => value === undefined).map(([path]) => nameOf(path));
  return {
    Update: {
      Key: key,
      UpdateExpression: [
        `SET ${['#revision = #revision + :one', ...sets].join(', ')}`,
        ...(removes.length > 0 ? [`REMOVE ${removes.join(', ')}`] : []),
      ].join(' '),
      ConditionExpression: Object.entries(expected).map(equation).join(' AND '),
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    },
    refused: () => new ConflictError(),
  };
};

const noLease = { lease_token: undefined, lease_until: undefined };

const keyOf = ({ pk, sk }: Item): Key => ({ pk: String(pk), sk: String(sk) });

/** Wakes the webhook worker for the organization after the transaction: by way of the table's stream. */
const putWake = (organizationId: string, now: number): Write<'PutItem'> => ({
  Put: {
    Item: {
      ...wakeKey(organizationId, randomUUID()),
      expires_at: Math.floor(now / 1000) + 24 * 60 * 60,
    },
  },
});

/** Makes a webhook, counts it, and wakes the worker. Refused with `limit_reached`. */
export const createWebhookWrites = (
  organizationId: string,
  item: Item,
  now: number,
): Write<'PutItem' | 'UpdateItem'>[] => {
  const due = firstDue(organizationId, item, now);
  const Item = { ...item, ...due.set };
  return [
    countWebhooks(organizationId, 1),
    { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } },
    ...due.writes,
    putWake(organizationId, now),
  ];
};

/** What its owner changes of a webhook. */
export interface WebhookUpdate {
  /** What is undefined is removed. */
  set: Item;
  progress?: Progress;
  /** Milliseconds since the epoch. */
  now: number;
}

const attributesAfter = (item: Item, { set, progress, now }: WebhookUpdate): Item => ({
  ...set,
  version: webhookVersion(item) + 1,
  updated_at: new Date(Math.max(now, Date.parse(String(item.updated_at)))).toISOString(),
  ...(progress && progressAttributes(progress)),
});

/** The webhook as it is after a change. */
export const applyUpdate = (item: Item, update: WebhookUpdate): Item => ({
  ...item,
  ...attributesAfter(item, update),
});

/** Updates what was read, and wakes the worker; refused with `ConflictError`. */
export const updateWebhookWrites = (
  organizationId: string,
  item: Item,
  update: WebhookUpdate,
): Write<'PutItem' | 'UpdateItem'>[] => {
  // Where the progress is changed, the transaction is refused if a worker has written meanwhile when it is due.
  const due = update.progress && firstDue(organizationId, applyUpdate(item, update), update.now);
  return [
    updateItem(keyOf(item), {
      set: { ...attributesAfter(item, update), ...due?.set, ...noLease },
      if: { version: webhookVersion(item), ...(update.progress && { revision: item.revision }) },
    }),
    ...(due?.writes ?? []),
    putWake(organizationId, update.now),
  ];
};

/** Has a test with this id sent; refused with `ConflictError`. */
export const testWebhookWrites = (
  organizationId: string,
  item: Item,
  id: string,
  now: number,
): Write<'PutItem' | 'UpdateItem'>[] => [
  updateItem(keyOf(item), {
    set: { [`tests.${id}`]: new Date(now).toISOString() },
    if: { version: webhookVersion(item), revision: item.revision },
  }),
  putWake(organizationId, now),
];

/** Refused with `ConflictError` if it is not as it was read. */
export const deleteWebhookWrites = (
  organizationId: string,
  webhookId: string,
  item: Item,
): Write<'DeleteItem' | 'UpdateItem'>[] => [
  {
    Delete: {
      Key: webhookKey(organizationId, webhookId),
      ConditionExpression: 'version = :version',
      ExpressionAttributeValues: { ':version': webhookVersion(item) },
    },
    refused: () => new ConflictError(),
  },
  { Delete: { Key: dueKey(organizationId, webhookId) } },
  countWebhooks(organizationId, -1),
];

/** Takes the lease of a webhook that nobody has; refused with `ConflictError`. */
export const takeLease = (item: Item, token: string, until: number): Write<'UpdateItem'> =>
  updateItem(keyOf(item), {
    set: { lease_token: token, lease_until: until },
    if: { revision: item.revision },
  });

/** Writes how far a worker has come; refused with `ConflictError` if the lease is not its own any more. */
export const writeCheckpoint = (
  item: Item,
  token: string,
  { progress, sentTests, until, set = {} }: SessionProgress,
): Write<'UpdateItem'> =>
  updateItem(keyOf(item), {
    set: {
      ...progressAttributes(progress),
      ...Object.fromEntries(sentTests.map((id) => [`tests.${id}`, undefined])),
      ...(until === undefined ? noLease : { lease_until: until }),
      ...set,
    },
    if: { lease_token: token },
  });

interface SessionProgress {
  progress: Progress;
  sentTests: readonly string[];
  /** Undefined gives the lease back. */
  until: number | undefined;
  set?: Item | undefined;
}
