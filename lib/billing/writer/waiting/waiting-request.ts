import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { maker } from '../../../facts/origin.ts';
import { absent, present } from '../../../table/condition.ts';
import { places } from '../../../table/keys.ts';
import { Kind } from '../../../table/kind.ts';
import { ConflictError } from '../../../table/retry.ts';
import type { Item, Table, Write } from '../../../table/table.ts';
import { put, remove } from '../../../table/write.ts';
import type { Cause } from '../../rules/causes.ts';
import { holdEvent } from '../../rules/hold-events.ts';
import { walletEvent } from '../../rules/wallet-events.ts';
import { spender } from '../../terms/fields.ts';
import type { WalletUpdate } from '../wallet-update.ts';

// docs/decisions/waiting-requests.md

/** Seconds after which DynamoDB may remove a request: no sender lives that long. */
const keptSeconds = 3600;

export const waitingRequestKind = new Kind(places.waitingRequest, {
  holds: 'waiting requests, the oldest first',
  attributes: z.object({
    /** The updates, as JSON: what can't be read of it concerns this request alone. */
    updates: z.string(),
    /** Nobody carries out the request after this: milliseconds since the epoch. */
    until: z.number(),
    /** Seconds since the epoch. */
    expires_at: z.number(),
  }),
});

/** A request that waits for whoever carries it out. Only a transaction that removes it may do that. */
export interface WaitingRequest {
  time: string;
  id: string;
  updates: readonly WalletUpdate[];
  until: number;
}

/** The name of a request. */
export type Named = Pick<WaitingRequest, 'time' | 'id'>;

/** A time in milliseconds since the epoch, in the key. */
export const timeInKey = (time: number): string => String(time).padStart(16, '0');

/** The request of updates that may be carried out until a time. Each update gets its ticket, if it has none. */
export const waitingRequestOf = (
  updates: readonly WalletUpdate[],
  until: number,
): WaitingRequest => {
  const id = randomBytes(12).toString('base64url');
  const ticketed = updates.map((one, i) => ({ ...one, ticket: one.ticket ?? `${id}.${i}` }));
  return { time: timeInKey(Date.now()), id, updates: ticketed, until };
};

const keyOf = (organizationId: string, { time, id }: Named) =>
  waitingRequestKind.key({ organizationId, time, id });

export const putWaitingRequest = (
  organizationId: string,
  request: WaitingRequest,
): Write<'PutItem'> => {
  const { updates, until } = request;
  const expires_at = Math.ceil(until / 1000) + keptSeconds;
  const attributes = { updates: JSON.stringify(updates.map(toStored)), until, expires_at };
  return put(keyOf(organizationId, request), attributes, { condition: absent });
};

/** Whether the request waits still. */
export const isThere = async (
  table: Table<'GetItem'>,
  organizationId: string,
  named: Named,
): Promise<boolean> => (await table.get(keyOf(organizationId, named))) !== undefined;

/** Who removes a request decides what becomes of it. Refused with `ConflictError` if it is gone. */
export const removeWaitingRequest = (organizationId: string, named: Named): Write<'DeleteItem'> =>
  remove(keyOf(organizationId, named), {
    condition: present,
    refused: () => new ConflictError(),
  });

/** The fields of causes that are times: schemas read these as ISO 8601, and make milliseconds of them. */
export const timeFields: ReadonlySet<string> = new Set([
  'from',
  'until',
  'expires_at',
  'occurred_at',
  'period_start',
  'period_end',
]);

const toStored = ({ cause, fingerprint, not_after, origin, spender, ticket }: WalletUpdate) => ({
  cause: JSON.stringify(cause, (name, value) =>
    timeFields.has(name) && typeof value === 'number' ? new Date(value).toISOString() : value,
  ),
  fingerprint,
  not_after,
  by: origin.by ?? undefined,
  request_id: origin.requestId ?? undefined,
  spender,
  ticket,
});

const storedUpdate = z.object({
  cause: z.string(),
  fingerprint: z.optional(z.string()),
  not_after: z.optional(z.number()),
  by: z.optional(maker()),
  request_id: z.optional(z.string()),
  spender: z.optional(spender()),
  ticket: z.string(),
});

const toCause = (organizationId: string, text: string): Cause => {
  const value = JSON.parse(text);
  const held = z.safeParse(holdEvent, value);
  if (held.success) return held.data;
  const event = z.parse(walletEvent, value);
  if (event.organization_id !== organizationId) throw new Error('of another organization');
  return event;
};

const toUpdates = (organizationId: string, text: string): WalletUpdate[] =>
  z
    .parse(z.array(storedUpdate).check(z.minLength(1)), JSON.parse(text))
    .map(({ cause, fingerprint, not_after, by = null, request_id = null, spender, ticket }) => ({
      cause: toCause(organizationId, cause),
      fingerprint,
      not_after,
      origin: { by, requestId: request_id },
      spender,
      ticket,
    }));

/** An item of the partition: its request, if it can be read, is of this organization, and its time is not over. */
export interface FoundRequest extends Named {
  request: WaitingRequest | undefined;
  /** Whether the sender's time was over, and nobody had carried out the request. */
  isOver: boolean;
}

const find = (organizationId: string, item: Item, now: number): FoundRequest => {
  const { time, id } = waitingRequestKind.idsOf({ pk: String(item.pk), sk: String(item.sk) });
  const named = { time, id };
  try {
    const { updates: text, until } = waitingRequestKind.parse(item);
    if (until < now) return { ...named, request: undefined, isOver: true };
    const request = { ...named, updates: toUpdates(organizationId, text), until };
    return { ...named, request, isOver: false };
  } catch {
    return { ...named, request: undefined, isOver: false };
  }
};

/** The most that are read at once. */
const mostRead = 100;

/** The oldest waiting requests, and what can't be read. */
export const readWaitingRequests = async (
  table: Table<'Query'>,
  organizationId: string,
): Promise<FoundRequest[]> => {
  const { items } = await table.query({
    condition: 'pk = :pk',
    values: { ':pk': waitingRequestKind.partition({ organizationId }) },
    limit: mostRead,
    consistent: true,
  });
  const now = Date.now();
  return items.map((item) => find(organizationId, item, now));
};
