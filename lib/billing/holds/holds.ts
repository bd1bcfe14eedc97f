import * as z from 'zod/mini';
import { ApiError, invalid } from '../../errors/errors.ts';
import { walletEventKey } from '../../table/keys.ts';
import type { Item } from '../../table/table.ts';
import { type Balance, balance, parseBalance, toBalance } from '../balance.ts';
import {
  changeWallet,
  fingerprint,
  GuardExists,
  putGuard,
  toRefusalError,
  toReusedIdError,
  type WalletTable,
} from '../change-wallet.ts';
import type { Hold, HoldEvent } from '../rules/causes.ts';
import { sum } from '../rules/compartments.ts';
import { apply } from '../rules/rules.ts';
import { anyStars } from '../stars.ts';
import { deleteOpenHold, putOpenHold } from './open-holds.ts';

/** The longest time that a hold lasts: 7 days, in seconds. */
export const longestHoldSeconds = 7 * 24 * 60 * 60;

/** What `holdStars` takes. */
interface HoldInput {
  organization_id: string;
  hold_id: string;
  stars: number;
  expires_in_seconds: number;
  reason?: string | undefined;
}

interface HoldReply {
  held: boolean;
  /** Null where nothing is held. */
  expires_at: string | null;
  balance: Balance;
}

const iso = (time: number): string => new Date(time).toISOString();

/**
 * Holds stars until the hold is captured or released, or expires; or nothing where there are not enough.
 * Throws as `changeWallet` does, `limit_reached`, and `event_id_reused` for an id that another
 * hold or event has.
 */
export const hold = (table: WalletTable, input: HoldInput): Promise<HoldReply> => {
  const { organization_id: organizationId, hold_id, stars, reason } = input;
  const guardKey = walletEventKey(organizationId, hold_id);
  const inputFingerprint = fingerprint({ type: 'stars.held', ...input });
  return changeWallet<HoldReply>(table, {
    organizationId,
    guardKey,
    others: [],

    firstOutcome(guard) {
      if (guard.fingerprint !== inputFingerprint) throw toReusedIdError('hold_id');
      const { expires_at } = guard.hold as Hold;
      return { held: true, expires_at: iso(expires_at), balance: parseBalance(guard.balance) };
    },

    decide(wallet, now) {
      const expires_at = now + input.expires_in_seconds * 1000;
      const cause = { type: 'stars.held', event_id: hold_id, stars, expires_at, reason } as const;
      const step = apply(wallet, cause, now);
      if (step === 'insufficient_stars') {
        return { rejection: { held: false, expires_at: null, balance: toBalance(wallet, now) } };
      }
      if (typeof step === 'string') return { rejection: toRefusalError(step) };
      const after = toBalance(step.wallet, now);
      const held: Hold = { expires_at, lots: step.takenLots, reason };
      const guard = putGuard({
        ...guardKey,
        fingerprint: inputFingerprint,
        balance: JSON.stringify(after),
        hold: held,
      });
      const open = putOpenHold(organizationId, {
        ...held,
        hold_id,
        at: now,
        reason: reason ?? null,
      });
      return {
        step,
        writes: [guard, open],
        outcome: { held: true, expires_at: iso(expires_at), balance: after },
      };
    },
  });
};

/** How a hold ended, as its guard has it. */
interface HoldEnd {
  type: 'hold.captured' | 'hold.released';
  stars: number;
  balance: string;
}

/** What `captureHold` and `releaseHold` return. */
export const holdEnd = z.strictObject({
  captured_stars: anyStars().check(z.describe('Stars of the hold that were spent.')),
  returned_stars: anyStars().check(
    z.describe('Stars of the hold that were not spent, also those that lapsed at once.'),
  ),
  balance,
});
type HoldEndReply = z.output<typeof holdEnd>;

/**
 * Ends a hold: captures so many of its stars, or all, and returns the rest; or releases it. A repeat
 * returns what the first did. Throws as `changeWallet` does, `already_captured`, `already_released` or
 * `hold_expired` for a hold that has ended in another way, and `invalid_request` for an id that no hold has
 * and for more stars than it has.
 */
const endHold = (
  table: WalletTable,
  organizationId: string,
  cause: Extract<HoldEvent, { type: 'hold.captured' | 'hold.released' }>,
): Promise<HoldEndReply> => {
  const hold_id = cause.event_id;
  const guardKey = walletEventKey(organizationId, hold_id);
  const wanted = ({ lots }: Hold) =>
    cause.type === 'hold.captured' ? (cause.stars ?? sum(lots)) : 0;
  return changeWallet<HoldEndReply>(table, {
    organizationId,
    guardKey,
    others: [],

    firstOutcome(guard) {
      const held = holdOf(guard);
      const end = guard.hold_end as HoldEnd | undefined;
      if (!end) return undefined;
      if (end.type !== cause.type || end.stars !== wanted(held)) {
        throw new ApiError(end.type === 'hold.captured' ? 'already_captured' : 'already_released');
      }
      return toReply(held, end.stars, parseBalance(end.balance));
    },

    decide(wallet, now, { guard }) {
      const held = holdOf(guard);
      const step = apply(wallet, cause, now, { hold: held });
      if (typeof step === 'string') return { rejection: toRefusalError(step) };
      const after = toBalance(step.wallet, now);
      const stars = wanted(held);
      const hold_end: HoldEnd = { type: cause.type, stars, balance: JSON.stringify(after) };
      const spend = stars > 0 && {
        spend: { lots: step.takenLots, refunded: 0, reason: held.reason },
      };
      return {
        step,
        writes: [
          {
            Put: {
              Item: { ...guard, hold_end, ...spend },
              ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(hold_end)',
            },
            refused: (existing) => new GuardExists(existing),
          },
          deleteOpenHold(organizationId, held.expires_at, hold_id),
        ],
        outcome: toReply(held, stars, after),
      };
    },
  });
};

const holdOf = (guard: Item | undefined): Hold => {
  if (!guard?.hold) throw invalid('hold_id', 'is not a hold');
  return guard.hold as Hold;
};

const toReply = ({ lots }: Hold, captured_stars: number, balance: Balance): HoldEndReply => ({
  captured_stars,
  returned_stars: sum(lots) - captured_stars,
  balance,
});

interface HoldIds {
  organization_id: string;
  hold_id: string;
}

export const capture = (
  table: WalletTable,
  { organization_id, hold_id, stars }: HoldIds & { stars?: number | undefined },
): Promise<HoldEndReply> =>
  endHold(table, organization_id, { type: 'hold.captured', event_id: hold_id, stars });

export const release = (
  table: WalletTable,
  { organization_id, hold_id }: HoldIds,
): Promise<HoldEndReply> =>
  endHold(table, organization_id, { type: 'hold.released', event_id: hold_id });
