import type { Fact } from '../../facts/fact.ts';
import { absent, all, atVersion, compare } from '../../table/condition.ts';
import { ConflictError } from '../../table/retry.ts';
import type { Write } from '../../table/table.ts';
import { put } from '../../table/write.ts';
import type { RuleResult } from '../rules/rules.ts';
import type { WalletStep } from '../rules/step.ts';
import { type EventRecord, eventRecordKind } from '../stored/event-record.ts';
import { putSpendCounter } from '../stored/limits/spend-counter.ts';
import { noticeFact } from '../stored/notice.ts';
import { deleteOpenHold, openHoldOf, putOpenHold } from '../stored/open-hold.ts';
import { putPayment } from '../stored/payment.ts';
import { entryFact } from '../stored/stored-entry.ts';
import { putSubscriptionOwner } from '../stored/subscription-owner.ts';
import { type Wallet, walletKind } from '../stored/wallet.ts';
import type { WalletWrite } from './wallet-table.ts';

/** The most items of one transaction. */
export const mostItems = 100;

type Records = ReadonlyMap<string, EventRecord>;

/** The records that a step leaves, by the ids of their events and holds. */
export const recordsOf = ({ entry, record, target, paid, owner }: WalletStep): Records => {
  const records = new Map<string, EventRecord>();
  const named = {
    ...(paid && { payment_id: paid.id }),
    ...(owner && { subscription_id: owner.subscription }),
  };
  if (record && entry.event_id !== null) records.set(entry.event_id, { ...record, ...named });
  const id = entry.refunds ?? entry.reverses;
  if (target && id !== null) records.set(id, target);
  return records;
};

/**
 * All that steps change of a wallet, each item once; nothing if there is no step. Entries come last: that they are there says
 * only that the wallet is another.
 */
export const writesOf = (
  organizationId: string,
  before: Wallet,
  records: Records,
  steps: readonly WalletStep[],
): WalletWrite[] => {
  const last = steps.at(-1);
  if (!last) return [];
  const after = new Map(steps.flatMap((step) => [...recordsOf(step)]));
  return [
    ...[...after].flatMap(([id, record]) =>
      writeRecord(organizationId, id, records.get(id), record),
    ),
    putWallet(organizationId, last.wallet, before),
    ...steps.flatMap(({ paid }) => (paid ? putPayment(paid.id, paid.by) : [])),
    ...steps.flatMap(({ owner }) =>
      owner ? putSubscriptionOwner(owner.subscription, owner.organization_id) : [],
    ),
    ...steps.flatMap(({ expired }) => (expired ? deleteOpenHold(organizationId, expired) : [])),
    ...writeCounters(organizationId, steps),
    ...steps.flatMap((step) => ledgerFacts(organizationId, step)),
  ];
};

/** Each counter as the last step left it. */
const writeCounters = (organizationId: string, steps: readonly WalletStep[]): WalletWrite[] => {
  const last = new Map(steps.flatMap(({ counters = [] }) => [...counters]));
  return [...last.values()].map(({ counter, after }) =>
    putSpendCounter(organizationId, counter, after),
  );
};

/** A record, and the item of its hold. The record of an open hold changes only as that opens, ends or is extended. */
const writeRecord = (
  organizationId: string,
  id: string,
  before: EventRecord | undefined,
  after: EventRecord,
): WalletWrite[] => {
  const [ended, open] = [before && openHoldOf(id, before), openHoldOf(id, after)];
  const isMoved = ended?.expires_at !== open?.expires_at;
  return [
    put(eventRecordKind.key({ organizationId, eventId: id }), after, {
      condition: before ? atVersion(before.version) : absent,
      refused: () => new ConflictError(),
    }),
    ...(ended && isMoved ? [deleteOpenHold(organizationId, ended)] : []),
    ...(open && isMoved ? [putOpenHold(organizationId, open)] : []),
  ];
};

/**
 * Replaces the wallet that the steps were decided on. Refused with `write_conflict` if it has another version, or other
 * thresholds or limits: setting those makes no version.
 */
const putWallet = (
  organizationId: string,
  wallet: Wallet,
  { version, alerts_version, limits_version }: Wallet,
): Write<'PutItem'> =>
  put(walletKind.key({ organizationId }), wallet, {
    condition: all(
      atVersion(version),
      all(
        compare('alerts_version', '=', alerts_version),
        compare('limits_version', '=', limits_version),
      ),
    ),
    refused: () => new ConflictError(),
  });

/** A ledger entry, and its notices. */
export const ledgerFacts = (
  organizationId: string,
  { entry, wallet, notices }: Pick<RuleResult, 'entry' | 'wallet' | 'notices'>,
): Fact[] => [
  entryFact(organizationId, entry, wallet, notices.length),
  ...notices.map((one, i) => noticeFact(organizationId, entry, i, one)),
];
