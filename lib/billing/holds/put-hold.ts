import * as z from 'zod/mini';
import { type Balance, balance, iso, parseBalance, toBalance } from '../balance.ts';
import {
  changeWallet,
  fingerprint,
  putGuard,
  toRefusalError,
  toReusedIdError,
  type UpdateItems,
  type WalletTable,
  type WalletUpdate,
} from '../change-wallet.ts';
import { eventId, notAfter } from '../fields.ts';
import { type Purpose, purposeInput, purposeOf, purposeOutput, toldPurpose } from '../purpose.ts';
import type { Hold } from '../rules/causes.ts';
import { sum } from '../rules/compartments.ts';
import { apply } from '../rules/rules.ts';
import { someStars } from '../stars.ts';
import { expiresInSeconds, keysOfHold } from './hold.ts';
import { putOpenHold } from './open-holds.ts';

/** The body of `PUT /billing/holds/{hold_id}`. */
export const holdInput = z
  .strictObject({
    stars: someStars(),
    expires_in_seconds: expiresInSeconds(),
    ...purposeInput,
    not_after: z.optional(notAfter()),
  })
  .check(z.meta({ id: 'HoldInput' }));

/** What it answers: the hold as it was made, and the balance then. */
export const heldStars = z
  .strictObject({
    hold_id: eventId(),
    stars: someStars(),
    expires_at: z.iso.datetime(),
    ...purposeOutput,
    balance,
  })
  .check(z.meta({ id: 'HeldStars' }));

interface HoldInput extends Purpose {
  organization_id: string;
  hold_id: string;
  stars: number;
  expires_in_seconds: number;
}

interface HoldOutcome {
  isRepeat: boolean;
  body: z.output<typeof heldStars>;
}

interface Options {
  /** Milliseconds since the epoch. */
  notAfter?: number | undefined;
  /** What was read before: see `readHoldItems`. */
  items?: UpdateItems;
}

/**
 * Holds stars until the hold is captured or released, or expires. A repeat gets the first outcome. Throws as
 * `changeWallet` does, `insufficient_stars`, `limit_reached`, and `event_id_reused` for an id that another hold or event has.
 */
export const putHold = (
  table: WalletTable,
  input: HoldInput,
  { notAfter, items }: Options = {},
): Promise<HoldOutcome> => {
  const { organization_id: organizationId, hold_id, stars, expires_in_seconds } = input;
  const keys = keysOfHold({ organizationId, holdId: hold_id });
  const inputFingerprint = fingerprint({ type: 'stars.held', ...input });
  const outcome = (isRepeat: boolean, held: Hold, after: Balance): HoldOutcome => ({
    isRepeat,
    body: {
      hold_id,
      stars: sum(held.lots),
      expires_at: iso(held.expires_at),
      ...toldPurpose(held),
      balance: after,
    },
  });
  const update: WalletUpdate<HoldOutcome> = {
    ...keys,
    notAfter,

    firstOutcome(guard) {
      if (guard.fingerprint !== inputFingerprint) throw toReusedIdError('hold_id');
      return outcome(true, guard.hold as Hold, parseBalance(guard.balance));
    },

    decide(wallet, now) {
      const expires_at = now + expires_in_seconds * 1000;
      const purpose = purposeOf(input);
      const cause = {
        type: 'stars.held',
        event_id: hold_id,
        stars,
        expires_at,
        ...purpose,
      } as const;
      const step = apply(wallet, cause, now);
      if (typeof step === 'string') {
        return { rejection: toRefusalError(step, toBalance(wallet, now)) };
      }
      const after = toBalance(step.wallet, now);
      const held: Hold = { expires_at, lots: step.takenLots, ...purpose };
      const guard = putGuard({
        ...keys.guardKey,
        fingerprint: inputFingerprint,
        balance: JSON.stringify(after),
        hold: held,
      });
      const open = putOpenHold(organizationId, { ...held, hold_id, at: now });
      return { step, writes: [guard, open], outcome: outcome(false, held, after) };
    },
  };
  return changeWallet(table, update, items);
};
