import { ApiError } from '../../errors/errors.ts';
import { ConflictError } from '../../table/retry.ts';
import { countStep, mostBeyondHold } from '../limits/counted-step.ts';
import { toLimitError } from '../limits/limit-error.ts';
import { type LimitState, stateAfter } from '../limits/limit-rules.ts';
import { toBalance } from '../rules/balance.ts';
import type { Cause } from '../rules/causes.ts';
import { stepOf, type WalletStep } from '../rules/step.ts';
import type { EventRecord } from '../stored/event-record.ts';
import { sum } from '../stored/lots.ts';
import { assertWallet, type Wallet } from '../stored/wallet.ts';
import { toRefusalError } from '../terms/refusals.ts';
import { causeOf, isCarriedOut, isDone } from './by-record.ts';
import { type Found, readsOf } from './reads.ts';
import type { WalletUpdate } from './wallet-update.ts';
import { recordsOf } from './writes.ts';

/** What became of an update that was made, now or before. */
export interface Made {
  /** The record of its event or hold. */
  record: EventRecord;
  /** Whether the update was made before. */
  isRepeat: boolean;
}

/** What became of one of several updates. */
export type UpdateResult = Made | { error: unknown };

/** What became of updates that were tried together. */
export interface Tried {
  /** The updates, those that waited with their tickets. */
  updates: readonly WalletUpdate[];
  /** The results of the first of them, maybe of none; undefined if others did not carry out all that waited. */
  results: UpdateResult[] | undefined;
}

/** What is decided of an update. */
export interface Decision {
  update: WalletUpdate;
  result: UpdateResult;
  /** What the update changes, if anything. */
  step?: WalletStep;
  /** Whether the wallet refuses the update, of which its record says nothing. */
  isRefusedByWallet?: true;
}

/** What is known of an update by its record alone: that it was made before, or can't be. Undefined if nothing is. */
export const resultByRecord = (
  update: WalletUpdate,
  record: EventRecord | undefined,
  now: number,
): UpdateResult | undefined => {
  try {
    const cause = causeOf(update, record);
    if (record && isCarriedOut(update, record)) return { record, isRepeat: false };
    const done = isDone({ ...update, cause }, record, now);
    return done && record ? { record, isRepeat: true } : undefined;
  } catch (error) {
    return { error };
  }
};

/** What updates are decided on: what was read, and what those before them make of it. */
export type FoundWallet = Found & { wallet: Wallet; limits: LimitState };

/** Decides updates at the wallet's time, each by what those before it make. Pure. */
export const decide = (
  updates: readonly WalletUpdate[],
  found: FoundWallet,
  now: number,
): Decision[] => {
  let latest = found;
  return updates.map((update) => {
    const decision = decideOne(update, latest, now);
    if (decision.step) latest = foundAfter(latest, decision.step);
    return decision;
  });
};

/** What there is once a step is made. */
export const foundAfter = (found: FoundWallet, step: WalletStep): FoundWallet => ({
  ...found,
  wallet: step.wallet,
  records: new Map([...found.records, ...recordsOf(step)]),
  limits: step.counters ? stateAfter(found.limits, step.counters) : found.limits,
  payments: new Set([...found.payments, ...(step.paid ? [step.paid.id] : [])]),
  owners: new Map([
    ...found.owners,
    ...(step.owner ? [[step.owner.subscription, step.owner.organization_id] as const] : []),
  ]),
});

const decideOne = (
  update: WalletUpdate,
  { wallet, records, plans, payments, owners, limits }: FoundWallet,
  now: number,
): Decision => {
  const ids = readsOf(update.cause);
  const record = records.get(ids.record);
  const known = resultByRecord(update, record, now);
  if (known) return { update, result: known };

  const refuse = (error: ApiError): Decision => ({
    update,
    result: { error },
    isRefusedByWallet: true,
  });
  if (now > (update.not_after ?? Number.POSITIVE_INFINITY)) return refuse(new ApiError('too_late'));
  const target = records.get(ids.target ?? '');
  const cause = causeOf(update, record);
  const before = { wallet, limits, record, target };
  const state = {
    wallet,
    record,
    target,
    mostBeyond: mostBeyondHold(cause, before, now),
    plan: plans.get(ids.plan ?? ''),
    isPaymentUsed: payments.has(ids.payment ?? ''),
    subscription: ids.subscription
      ? { id: ids.subscription, owner: owners.get(ids.subscription) }
      : undefined,
    fingerprint: update.fingerprint,
  };
  const step = stepOf(state, cause, now, update.origin);
  if (typeof step === 'string') {
    const { available_stars } = toBalance(wallet, now);
    return refuse(toRefusalError(step, available_stars + ownStars(cause, record)));
  }
  assertOneMoment(step.wallet);
  const counted = countStep(step, cause, before, now);
  if ('reached' in counted) return refuse(toLimitError(counted.reached));
  const made = { ...counted, record: withTicket(counted.record, update) };
  return { update, step: made, result: { record: made.record, isRepeat: false } };
};

/** The most tickets of a record. Only a hold that is extended again and again has more than two. */
const mostTickets = 200;

const withTicket = (record: EventRecord, { ticket }: WalletUpdate): EventRecord =>
  ticket === undefined
    ? record
    : { ...record, tickets: [...(record.tickets ?? []), ticket].slice(-mostTickets) };

/** The stars of its own hold are there for a capture, too. */
const ownStars = (cause: Cause, record: EventRecord | undefined): number =>
  cause.type === 'hold.captured' ? sum(record?.hold?.lots ?? []) : 0;

/** Wallet and records may be read at two moments. A wallet that can't be comes of that, and all is read again. */
const assertOneMoment = (wallet: Wallet): void => {
  try {
    assertWallet(wallet);
  } catch (error) {
    throw new ConflictError(error);
  }
};
