import { ApiError } from '../../errors/errors.ts';
import { openHoldKey } from '../../table/keys.ts';
import type { Item, Table, Write } from '../../table/table.ts';
import type { Hold } from '../rules/causes.ts';
import { apply, type WalletStep } from '../rules/rules.ts';
import type { Wallet } from '../wallet.ts';

/** A hold that was neither captured nor released, nor written off as expired. */
export interface OpenHold extends Hold {
  hold_id: string;
  /** When it was made: milliseconds since the epoch. */
  at: number;
}

export const toOpenHold = ({ hold_id, at, hold }: Item): OpenHold =>
  ({ hold_id, at, ...(hold as Hold) }) as OpenHold;

/** The expiry is not at the top of the item: DynamoDB removes items by an attribute of that name. */
export const putOpenHold = (
  organizationId: string,
  { hold_id, at, ...hold }: OpenHold,
): Write<'PutItem'> => ({
  Put: {
    Item: { ...openHoldKey(organizationId, hold.expires_at, hold_id), hold_id, at, hold },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/** Ends a hold. Refused with `write_conflict` if it has ended meanwhile. */
export const deleteOpenHold = (
  organizationId: string,
  expiresAt: number,
  holdId: string,
): Write<'DeleteItem'> => ({
  Delete: {
    Key: openHoldKey(organizationId, expiresAt, holdId),
    ConditionExpression: 'attribute_exists(pk)',
  },
  refused: () => new ApiError('write_conflict'),
});

interface Extent {
  limit?: number;
  /** Milliseconds since the epoch. */
  expiredBy?: number;
}

/** The last millisecond that a date can be. */
const lastTime = 8.64e15 - 1;

/** Open holds, the soonest to expire first: `limit` at most, or all that have expired by a time. */
export const readOpenHolds = async (
  table: Table<'Query'>,
  organizationId: string,
  { limit = Number.POSITIVE_INFINITY, expiredBy = lastTime }: Extent = {},
): Promise<OpenHold[]> => {
  const { pk, sk } = openHoldKey(organizationId, expiredBy + 1, '');
  const holds: OpenHold[] = [];
  let last: Item | undefined;
  do {
    const page = await table.query({
      condition: 'pk = :pk AND sk < :sk',
      values: { ':pk': pk, ':sk': sk },
      limit: Math.min(limit - holds.length, 1000),
      startAfter: last,
      consistent: true,
    });
    holds.push(...page.items.map(toOpenHold));
    last = page.last;
  } while (last && holds.length < limit);
  return holds;
};

/**
 * The wallet after each of these holds expired, the soonest first, each at its own time: as if a job had
 * written it off at that time. `next` is when the hold after them expires.
 */
export const expire = (
  wallet: Wallet,
  holds: readonly OpenHold[],
  next: number | undefined,
): WalletStep[] => {
  const steps: WalletStep[] = [];
  for (const [i, hold] of holds.entries()) {
    const before = steps.at(-1)?.wallet ?? wallet;
    const related = { hold, nextHoldExpiry: holds[i + 1]?.expires_at ?? next };
    const cause = { type: 'hold.expired', event_id: hold.hold_id } as const;
    const step = apply(before, cause, hold.expires_at, related);
    if (typeof step === 'string') throw new Error(`an expiry was refused: ${step}`);
    steps.push(step);
  }
  return steps;
};
