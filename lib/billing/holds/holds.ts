import * as z from 'zod/mini';
import { ApiError, invalid } from '../../errors/errors.ts';
import { walletEventKey } from '../../table/keys.ts';
import type { Item } from '../../table/table.ts';
import { answeredBalance, type Balance, balance, toBalance } from '../balance.ts';
import {
  changeWallet,
  fingerprint,
  putGuard,
  Repeated,
  refusedError,
  reusedId,
  type WalletTable,
} from '../change-wallet.ts';
import type { Hold, HoldEvent } from '../rules/causes.ts';
import { sum } from '../rules/compartments.ts';
import { apply } from '../rules/rules.ts';
import { anyStars } from '../stars.ts';
import { deleteOpenHold, putOpenHold } from './open-holds.ts';

/** The longest time that a hold lasts: 7 days, in seconds. */
export const longestHold = 7 * 24 * 60 * 60;

/** A hold as it is asked for. */
interface HoldInput {
  organization_id: string;
  hold_id: string;
  stars: number;
  expires_in_seconds: number;
  reason?: string | undefined;
}

interface Held {
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
export const hold = (table: WalletTable, input: HoldInput): Promise<Held> => {
  const { organization_id: organizationId, hold_id, stars, reason } = input;
  const guardKey = walletEventKey(organizationId, hold_id);
  const asked = fingerprint({ type: 'stars.held', ...input });
  return changeWallet<Held>(table, {
    organizationId,
    guardKey,
    others: [],

    repeated(guard) {
      if (guard.fingerprint !== asked) throw reusedId('hold_id');
      const { expires_at } = guard.hold as Hold;
      return { held: true, expires_at: iso(expires_at), balance: answeredBalance(guard.balance) };
    },

    decide(wallet, now) {
      const expires_at = now + input.expires_in_seconds * 1000;
      const cause = { type: 'stars.held', event_id: hold_id, stars, expires_at, reason } as const;
      const applied = apply(wallet, cause, now);
      if (applied === 'insufficient_stars') {
        return { refused: { held: false, expires_at: null, balance: toBalance(wallet, now) } };
      }
      if (typeof applied === 'string') return { refused: refusedError(applied) };
      const after = toBalance(applied.wallet, now);
      const held: Hold = { expires_at, parts: applied.taken, reason };
      const guard = putGuard({
        ...guardKey,
        fingerprint: asked,
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
        applied,
        writes: [guard, open],
        answer: { held: true, expires_at: iso(expires_at), balance: after },
      };
    },
  });
};

/** How a hold was ended, as its guard tells. */
interface Ended {
  type: 'hold.captured' | 'hold.released';
  stars: number;
  balance: string;
}

/** What `captureHold` and `releaseHold` answer. */
export const endedHold = z.strictObject({
  captured_stars: anyStars().check(z.describe('Stars of the hold that were spent.')),
  returned_stars: anyStars().check(
    z.describe('Stars of the hold that were not spent, also those that lapsed at once.'),
  ),
  balance,
});
type EndedHold = z.output<typeof endedHold>;

/**
 * Ends a hold: captures so many of its stars, or all, and returns the rest; or releases it. A repeat is
 * answered as the first was. Throws as `changeWallet` does, `already_captured`, `already_released` or
 * `hold_expired` for a hold that was ended in another way, and `invalid_request` for an id that no hold has
 * and for more stars than it has.
 */
const end = (
  table: WalletTable,
  organizationId: string,
  cause: Extract<HoldEvent, { type: 'hold.captured' | 'hold.released' }>,
): Promise<EndedHold> => {
  const hold_id = cause.event_id;
  const guardKey = walletEventKey(organizationId, hold_id);
  const wanted = ({ parts }: Hold) =>
    cause.type === 'hold.captured' ? (cause.stars ?? sum(parts)) : 0;
  return changeWallet<EndedHold>(table, {
    organizationId,
    guardKey,
    others: [],

    repeated(guard) {
      const held = holdOf(guard);
      const ended = guard.ended as Ended | undefined;
      if (!ended) return undefined;
      if (ended.type !== cause.type || ended.stars !== wanted(held)) {
        throw new ApiError(
          ended.type === 'hold.captured' ? 'already_captured' : 'already_released',
        );
      }
      return answer(held, ended.stars, answeredBalance(ended.balance));
    },

    decide(wallet, now, { guard }) {
      const held = holdOf(guard);
      const applied = apply(wallet, cause, now, { hold: held });
      if (typeof applied === 'string') return { refused: refusedError(applied) };
      const after = toBalance(applied.wallet, now);
      const stars = wanted(held);
      const ended: Ended = { type: cause.type, stars, balance: JSON.stringify(after) };
      const spend = stars > 0 && {
        spend: { parts: applied.taken, refunded: 0, reason: held.reason },
      };
      return {
        applied,
        writes: [
          {
            Put: {
              Item: { ...guard, ended, ...spend },
              ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(ended)',
            },
            refused: (existing) => new Repeated(existing),
          },
          deleteOpenHold(organizationId, held.expires_at, hold_id),
        ],
        answer: answer(held, stars, after),
      };
    },
  });
};

const holdOf = (guard: Item | undefined): Hold => {
  if (!guard?.hold) throw invalid('hold_id', 'is not a hold');
  return guard.hold as Hold;
};

const answer = ({ parts }: Hold, captured_stars: number, balance: Balance): EndedHold => ({
  captured_stars,
  returned_stars: sum(parts) - captured_stars,
  balance,
});

interface Named {
  organization_id: string;
  hold_id: string;
}

export const capture = (
  table: WalletTable,
  { organization_id, hold_id, stars }: Named & { stars?: number | undefined },
): Promise<EndedHold> =>
  end(table, organization_id, { type: 'hold.captured', event_id: hold_id, stars });

export const release = (
  table: WalletTable,
  { organization_id, hold_id }: Named,
): Promise<EndedHold> => end(table, organization_id, { type: 'hold.released', event_id: hold_id });
