import { planKey, walletEventKey } from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
import type { Item, Table, Write } from '../table/table.ts';
import { type Balance, parseBalance, toBalance } from './balance.ts';
import {
  changeWallet,
  fingerprint,
  putGuard,
  readUpdateItems,
  toReusedIdError,
  type UpdateItems,
  type UpdateKeys,
  type WalletTable,
  type WalletUpdate,
} from './change-wallet.ts';
import { toPlan } from './plans.ts';
import { purposeOf } from './purpose.ts';
import type { Refusal } from './refusals.ts';
import type { Spend } from './rules/causes.ts';
import { apply } from './rules/rules.ts';
import {
  type BatchItems,
  changeWalletInBatch,
  type Result,
  readBatchItems,
} from './wallet-batch.ts';
import type { WalletEvent, WalletEventOf } from './wallet-events.ts';

/** The wallet after the event. A repeat has the same outcome; after a refusal it is the wallet as it was. */
export interface Outcome {
  balance: Balance;
  refusal?: Refusal;
  /** Whether it was applied before. */
  isRepeat?: true;
}

interface Options {
  /** Milliseconds since the epoch: if the wallet's time is later, it is `too_late`. */
  notAfter?: number | undefined;
  /** What was read before: see `readEventItems`. */
  items?: UpdateItems;
}

/** The wallet, and what else the event needs, in one request. */
export const readEventItems = (table: Table<'GetItem'>, event: WalletEvent): Promise<UpdateItems> =>
  readUpdateItems(table, keysOf(event));

const keysOf = (event: WalletEvent): UpdateKeys => {
  const { organization_id: organizationId, event_id, type } = event;
  return {
    organizationId,
    guardKey: walletEventKey(organizationId, event_id),
    others: [
      needsPlan(event) ? planKey(event.tier) : undefined,
      type === 'stars.refunded' ? walletEventKey(organizationId, event.refunds) : undefined,
    ],
  };
};

/**
 * Applies an event to its wallet, once. Throws as `changeWallet` does, and `event_id_reused` for an
 * event_id that another event or hold has.
 */
export const applyEvent = (
  table: WalletTable,
  event: WalletEvent,
  { notAfter, items }: Options = {},
): Promise<Outcome> => changeWallet(table, { ...updateOf(event), notAfter }, items);

interface BatchOptions {
  /** Of each event, as in `Options`. */
  notAfter?: readonly (number | undefined)[];
  /** What was read before: see `readEventsItems`. */
  items?: BatchItems;
}

/** The wallet, and what else the events need, in one request. */
export const readEventsItems = (
  table: Table<'GetItem'>,
  organizationId: string,
  events: readonly WalletEvent[],
): Promise<BatchItems> => readBatchItems(table, organizationId, events.map(keysOf));

/** Applies events to their wallet, as if each by itself, one after another: see `changeWalletInBatch`. */
export const applyEvents = (
  table: WalletTable,
  organizationId: string,
  events: readonly WalletEvent[],
  { notAfter = [], items }: BatchOptions = {},
): Promise<Result<Outcome>[]> => {
  const updates = events.map((event, i) => ({ ...updateOf(event), notAfter: notAfter[i] }));
  return changeWalletInBatch(table, organizationId, updates, items);
};

const updateOf = (event: WalletEvent): WalletUpdate<Outcome> => {
  const keys = keysOf(event);
  return {
    ...keys,

    firstOutcome(guard) {
      if (guard.fingerprint !== fingerprint(event)) throw toReusedIdError('event_id');
      return { balance: parseBalance(guard.balance), isRepeat: true };
    },

    decide(wallet, now, { others: [plan, spend] }) {
      const related = { plan: plan && toPlan(plan), spend: spend && spendOf(spend) };
      const step = apply(wallet, event, now, related);
      if (typeof step === 'string') {
        return { rejection: { refusal: step, balance: toBalance(wallet, now) } };
      }
      const balance = toBalance(step.wallet, now);
      const guard = putGuard({
        ...keys.guardKey,
        fingerprint: fingerprint(event),
        balance: JSON.stringify(balance),
        ...(event.type === 'stars.spent' && {
          spend: { lots: step.takenLots, refunded: 0, ...purposeOf(event) },
        }),
      });
      const refund = event.type === 'stars.refunded' && spend ? [countRefund(spend, event)] : [];
      return { step, writes: [guard, ...refund], outcome: { balance } };
    },
  };
};

type NeedsPlan = Extract<WalletEvent, { tier: string }>;
const needsPlan = (event: WalletEvent): event is NeedsPlan =>
  'tier' in event && event.monthly_grant_stars === undefined;

/** The spend that a guard is of, also of a captured hold; undefined of anything else. */
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
    refused: () => new ConflictError(),
  };
};
