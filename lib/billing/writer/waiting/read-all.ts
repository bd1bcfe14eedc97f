import type { Table } from '../../../table/table.ts';
import { mergeLimits } from '../../limits/limit-rules.ts';
import type { Wallet } from '../../stored/wallet.ts';
import { WalletInvariant } from '../../stored/wallet-invariant.ts';
import type { FoundWallet } from '../decisions.ts';
import { limitsFor } from '../limits-for.ts';
import { type Found, type FoundBeside, readBeside, readFor, readsOf } from '../reads.ts';
import type { FoundRequest, WaitingRequest } from './waiting-request.ts';

/** Undefined for what can't be read: that concerns its own request alone. */
const ifReadable = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof WalletInvariant) return undefined;
    throw error;
  }
};

const readsOfRequest = (request: WaitingRequest | undefined) =>
  (request?.updates ?? []).map(({ cause }) => readsOf(cause));

/** The items for one's own request, and for those of others; undefined for a request that can't be read. */
interface FoundForAll {
  found: Found;
  ofOthers: readonly (FoundBeside | undefined)[];
}

/** The wallet, and what the requests need beside it: one request to the table. */
export const readForAll = async (
  table: Table<'GetItem'>,
  organizationId: string,
  own: WaitingRequest | undefined,
  others: readonly FoundRequest[],
): Promise<FoundForAll> => {
  const [found, ofOthers] = await Promise.all([
    readFor(table, organizationId, readsOfRequest(own)),
    Promise.all(
      others.map(({ request }) =>
        ifReadable(readBeside(table, organizationId, readsOfRequest(request))),
      ),
    ),
  ]);
  return { found, ofOthers };
};

type FoundWithWallet = Found & { wallet: Wallet };

const addFound = (found: FoundWithWallet, beside: FoundBeside): FoundWithWallet => ({
  ...found,
  records: new Map([...beside.records, ...found.records]),
  plans: new Map([...beside.plans, ...found.plans]),
  payments: new Set([...beside.payments, ...found.payments]),
  owners: new Map([...beside.owners, ...found.owners]),
});

/** The state that all are decided on, and the others' requests: those that can't be read have only a name. */
interface Reading {
  before: FoundWallet;
  waiting: readonly FoundRequest[];
}

/** Reads the limits of all, in one request to the table, or in none where nothing counts. */
export const readLimitsForAll = async (
  table: Table<'GetItem'>,
  organizationId: string,
  { own, others }: { own: WaitingRequest | undefined; others: readonly FoundRequest[] },
  { found, ofOthers, wallet }: FoundForAll & { wallet: Wallet },
): Promise<Reading> => {
  const all = ofOthers.flatMap((one) => one ?? []).reduce(addFound, { ...found, wallet });
  const read = (request: WaitingRequest | undefined) =>
    limitsFor(table, organizationId, request?.updates ?? [], all);
  const [ofOwn, ...limits] = await Promise.all([
    read(own),
    ...others.map(({ request }) => ifReadable(read(request))),
  ]);
  const isReadable = (i: number) => ofOthers[i] !== undefined && limits[i] !== undefined;
  return {
    before: { ...all, limits: mergeLimits([ofOwn, ...limits.flatMap((one) => one ?? [])]) },
    waiting: others.map((one, i) => (isReadable(i) ? one : { ...one, request: undefined })),
  };
};
