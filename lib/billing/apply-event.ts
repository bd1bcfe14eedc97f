import { planKey, walletEventKey } from '../table/keys.ts';
import { Conflict } from '../table/retry.ts';
import type { Item, Write } from '../table/table.ts';
import { answeredBalance, type Balance, toBalance } from './balance.ts';
import {
  changeWallet,
  fingerprint,
  putGuard,
  reusedId,
  type WalletTable,
} from './change-wallet.ts';
import { toPlan } from './plans.ts';
import type { Refusal } from './refusals.ts';
import type { Spend } from './rules/causes.ts';
import { apply } from './rules/rules.ts';
import type { WalletEvent, WalletEventOf } from './wallet-events.ts';

/** The wallet after the event. A repeat is answered the same; after a refusal it is the wallet as it was. */
export interface Outcome {
  balance: Balance;
  refused?: Refusal;
}

/**
 * Applies an event to its wallet, once. Throws as `changeWallet` does, and `event_id_reused` for an
 * event_id that another event or hold has.
 */
export const applyEvent = (table: WalletTable, event: WalletEvent): Promise<Outcome> => {
  const { organization_id: organizationId, event_id, type } = event;
  const guardKey = walletEventKey(organizationId, event_id);
  return changeWallet<Outcome>(table, {
    organizationId,
    guardKey,
    others: [
      needsPlan(event) ? planKey(event.tier) : undefined,
      type === 'stars.refunded' ? walletEventKey(organizationId, event.refunds) : undefined,
    ],

    repeated(guard) {
      if (guard.fingerprint !== fingerprint(event)) throw reusedId('event_id');
      return { balance: answeredBalance(guard.balance) };
    },

    decide(wallet, now, { others: [plan, spend] }) {
      const about = { plan: plan && toPlan(plan), spend: spend && spendOf(spend) };
      const applied = apply(wallet, event, now, about);
      if (typeof applied === 'string') {
        return { refused: { refused: applied, balance: toBalance(wallet, now) } };
      }
      const balance = toBalance(applied.wallet, now);
      const guard = putGuard({
        ...guardKey,
        fingerprint: fingerprint(event),
        balance: JSON.stringify(balance),
        ...(event.type === 'stars.spent' && {
          spend: { parts: applied.taken, refunded: 0, reason: event.reason },
        }),
      });
      const refund = type === 'stars.refunded' && spend ? [countRefund(spend, event)] : [];
      return { applied, writes: [guard, ...refund], answer: { balance } };
    },
  });
};

type NeedsPlan = Extract<WalletEvent, { tier: string }>;
const needsPlan = (event: WalletEvent): event is NeedsPlan =>
  'tier' in event && event.monthly_grant_stars === undefined;

/** What a guard says of a spend, or of a hold that was captured; undefined of anything else. */
const spendOf = ({ spend }: Item): Spend | undefined => spend as Spend | undefined;

/** All refunds of a spend together never exceed it: each one counts those before it. */
const countRefund = (guard: Item, { stars }: WalletEventOf<'stars.refunded'>): Write<'PutItem'> => {
  const { refunded, ...spend } = guard.spend as Spend;
  return {
    Put: {
      Item: { ...guard, spend: { ...spend, refunded: refunded + stars } },
      ConditionExpression: '#spend.#refunded = :before',
      ExpressionAttributeNames: { '#spend': 'spend', '#refunded': 'refunded' },
      ExpressionAttributeValues: { ':before': refunded },
    },
    refused: () => new Conflict(),
  };
};
