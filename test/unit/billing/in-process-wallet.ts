import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { handler as listBillingHistory } from '../../../functions/billing/list-billing-history.ts';
import { eventUpdate } from '../../../lib/billing/events/event-update.ts';
import type { Cause } from '../../../lib/billing/rules/causes.ts';
import { apply as decide, type RuleResult } from '../../../lib/billing/rules/rules.ts';
import { walletEvent } from '../../../lib/billing/rules/wallet-events.ts';
import { toWallet, walletKind } from '../../../lib/billing/stored/wallet.ts';
import { type Refusal, refusals } from '../../../lib/billing/terms/refusals.ts';
import { changeWallet } from '../../../lib/billing/writer/change-wallet.ts';
import { walletTableFor } from '../../../lib/billing/writer/wallet-table.ts';
import type { UpdateContent } from '../../../lib/billing/writer/wallet-update.ts';
import { ledgerFacts } from '../../../lib/billing/writer/writes.ts';
import type { WriteOrFact } from '../../../lib/facts/transaction.ts';
import { openTable, type TableClient } from '../../../lib/table/client.ts';
import type { Key } from '../../../lib/table/keys.ts';
import type { Item, WriteAction } from '../../../lib/table/table.ts';
import { put, withoutFact } from '../../../lib/table/write.ts';
import { openingWallet } from '../../support/billing.ts';
import { FaultStore, type StoreRequest, type StoreStep } from '../../support/faults/fault-store.ts';
import { walletKey } from '../../support/keys.ts';
import { commitIn, someOrigin } from '../../support/origin.ts';
import { Organization, run } from '../support.ts';

// Wallets, and events that are applied to them in the test's own process.

export const table = openTable();

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

/** The table, whose first reading finds this item as it was before, or not yet. */
export const hidingOnce = ({ pk, sk }: Key, before?: Item) => {
  let isFirst = true;
  const { table: hiding } = watchedTable(async ({ operation }, pass) => {
    const found = await pass();
    if (operation !== 'BatchGet' || !isFirst) return found;
    isFirst = false;
    const late = before ? [before] : [];
    const hidden = Object.entries(found.Responses as Record<string, Item[]>).map(
      ([name, items]) => [
        name,
        items.flatMap((item) => (item.pk === pk && item.sk === sk ? late : item)),
      ],
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

/** Applies an event to a wallet of this table. */
export const applyTo = async (
  to: TableClient,
  event: ReturnType<typeof eventOf>,
  notAfter?: number | undefined,
) => {
  const only = change(event.organization_id, eventUpdate(event, notAfter));
  const { record, isRepeat } = await changeWallet(changing(to), only);
  return { balance: record.balance, isRepeat };
};

/** Applies an event as the functions do. */
export const apply = (event: ReturnType<typeof eventOf>) =>
  applyTo(table.during({ deadline: soon() }), event);

/** A table whose wallets are changed by some request. */
export const changing = (to: TableClient) => walletTableFor(to, someOrigin);

/** What is asked by who may name any spender. Nothing was read for it before. */
export const change = (organizationId: string, ...contents: UpdateContent[]) => ({
  organizationId,
  updates: contents.map((one) => ({ ...one, origin: someOrigin, spender: undefined })),
});

/**
 * What causes do at their times, written in few transactions: as the functions write it, with what is to stand beside
 * each entry, but without records.
 */
export const writeAll = async (
  { id }: Organization,
  causes: readonly [Cause, number][],
  beside: (cause: Cause, step: RuleResult) => WriteOrFact<WriteAction>[] = () => [],
): Promise<void> => {
  const changed: WriteOrFact<WriteAction>[] = [];
  let wallet = toWallet((await table.get(walletKind.key({ organizationId: id })))!);
  for (const [cause, at] of causes) {
    const step = decide(wallet, cause, at);
    if (typeof step === 'string') throw new Error(step);
    wallet = step.wallet;
    changed.push(...ledgerFacts(id, step), ...beside(cause, step));
  }
  changed.push(withoutFact(put(walletKind.key({ organizationId: id }), wallet)));
  for (let i = 0; i < changed.length; i += 100) await commitIn(table)(changed.slice(i, i + 100));
};

/** What the client would be told of the error. */
export const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => ({ code: error.code, details: error.details }),
  );

/** Why it was refused, where its code says less. */
export const refusalOf = async (work: Promise<unknown>): Promise<Refusal | undefined> => {
  const message = (await failure(work))?.details?.[0]?.message;
  const names = Object.keys(refusals) as Refusal[];
  return names.find((name) => refusals[name].message === message);
};

/** The wallet as it is stored. */
export const walletOf = async ({ id }: Organization) => table.get(walletKey(id));

/** The ledger, oldest first. */
export const historyOf = async (organization: Organization) => {
  const { body } = await run(listBillingHistory, { headers: organization.headers() });
  return body.items.reverse();
};
