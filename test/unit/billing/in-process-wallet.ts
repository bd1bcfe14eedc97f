import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { handler as listBillingHistory } from '../../../functions/billing/list-billing-history.ts';
import { applyEvent } from '../../../lib/billing/apply-event.ts';
import type { Cause } from '../../../lib/billing/rules/causes.ts';
import { apply as decide, type WalletStep } from '../../../lib/billing/rules/rules.ts';
import { putLedgerEntry } from '../../../lib/billing/stored-entry.ts';
import { toWallet, walletItem } from '../../../lib/billing/wallet.ts';
import { walletEvent } from '../../../lib/billing/wallet-events.ts';
import { openTable } from '../../../lib/table/client.ts';
import { type Key, walletKey } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/table.ts';
import { openingWallet } from '../../support/billing.ts';
import { FaultStore, type StoreRequest, type StoreStep } from '../../support/faults/fault-store.ts';
import { Organization, run } from '../support.ts';

// Wallets, and events that are applied to them in the test's own process.

export const table = openTable();
type WalletWrite = Parameters<typeof table.transact>[0][number];

/** A deadline that leaves the time that functions have. */
export const soon = () => Date.now() + 9500;

/** How many items a request reads at most, or writes. */
const countOf = ({ operation, input }: StoreRequest): number => {
  if (operation === 'Get') return 1;
  if (operation === 'Query') return input.Limit ?? Number.POSITIVE_INFINITY;
  const { TransactItems, RequestItems } = input;
  return (TransactItems ?? Object.values<{ Keys: unknown[] }>(RequestItems)[0]!.Keys).length;
};

/** The table, and what it is asked: each operation, and of how many items. */
export const watchedTable = (step: StoreStep = (_request, pass) => pass()) => {
  const requests: [StoreRequest['operation'], number][] = [];
  const store = new FaultStore((request, pass) => {
    requests.push([request.operation, countOf(request)]);
    return step(request, pass);
  });
  /** Of how many items each request of this kind was. */
  const counts = (operation: StoreRequest['operation']) =>
    requests.filter(([one]) => one === operation).map(([, count]) => count);
  return { requests, counts, table: store.table({ deadline: Date.now() + 600_000 }) };
};

/** The table, whose first reading does not find this item yet. */
export const hidingOnce = ({ pk, sk }: Key) => {
  let isFirst = true;
  const { table: hiding } = watchedTable(async ({ operation }, pass) => {
    const found = await pass();
    if (operation !== 'BatchGet' || !isFirst) return found;
    isFirst = false;
    const hidden = Object.entries(found.Responses as Record<string, Item[]>).map(
      ([name, items]) => [name, items.filter((item) => item.pk !== pk || item.sk !== sk)],
    );
    return { ...found, Responses: Object.fromEntries(hidden) };
  });
  return hiding;
};

/** An organization with monthly stars in a running period, and pack stars. */
export const withStars = (monthly: number, pack: number) =>
  Organization.make(openingWallet(monthly, pack));

/** An event of the organization, with an id of its own unless told. */
export const eventOf = ({ id }: Organization, fields: object) =>
  z.parse(walletEvent, { event_id: randomUUID(), organization_id: id, ...fields });

/** A spend, as an event. */
export const spend = (organization: Organization, stars: number, fields: object = {}) =>
  eventOf(organization, { type: 'stars.spent', stars, ...fields });

/** Applies an event as the functions do. */
export const apply = (event: ReturnType<typeof eventOf>) =>
  applyEvent(table.during({ deadline: soon() }), event);

/**
 * What causes do at their times, written in few transactions: as the functions write it, with what is to stand beside
 * each entry, but without guards.
 */
export const writeAll = async (
  { id }: Organization,
  causes: readonly [Cause, number][],
  beside: (cause: Cause, step: WalletStep) => WalletWrite[] = () => [],
): Promise<void> => {
  const writes: WalletWrite[] = [];
  let wallet = toWallet((await table.get(walletKey(id)))!);
  for (const [cause, at] of causes) {
    const step = decide(wallet, cause, at);
    if (typeof step === 'string') throw new Error(step);
    wallet = step.wallet;
    writes.push(...putLedgerEntry(id, step), ...beside(cause, step));
  }
  writes.push({ Put: { Item: walletItem(id, wallet) } });
  for (let i = 0; i < writes.length; i += 100) await table.transact(writes.slice(i, i + 100));
};

/** What the client would be told of the error. */
export const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => ({ code: error.code, details: error.details }),
  );

/** The wallet as it is stored. */
export const walletOf = async ({ id }: Organization) => table.get(walletKey(id));

/** The ledger, oldest first. */
export const historyOf = async (organization: Organization) => {
  const { body } = await run(listBillingHistory, { headers: organization.headers() });
  return body.items.reverse();
};
