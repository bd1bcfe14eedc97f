import type { LedgerEntry } from '../../lib/billing/stored/ledger-entry.ts';
import { type OpenHold, putOpenHold } from '../../lib/billing/stored/open-hold.ts';
import { entryFact } from '../../lib/billing/stored/stored-entry.ts';
import { type Wallet, walletKind } from '../../lib/billing/stored/wallet.ts';
import type { Key } from '../../lib/table/keys.ts';
import { type Item, toKey, type Write } from '../../lib/table/table.ts';
import { put } from '../../lib/table/write.ts';
import { someOrigin } from './origin.ts';

// Items of billing, as the writer puts them.

/** The item of a put, as the table has it: without what is undefined. */
export const itemOf = ({ Put: { Item = {} } }: Write<'PutItem'>): Item & Key => ({
  ...Object.fromEntries(Object.entries(Item).filter(([, value]) => value !== undefined)),
  ...toKey(Item),
});

export const walletItem = (organizationId: string, wallet: Wallet): Item & Key =>
  itemOf(put(walletKind.key({ organizationId }), wallet));

export const openHoldItem = (organizationId: string, hold: OpenHold): Item & Key =>
  itemOf(putOpenHold(organizationId, hold));

export const ledgerEntryItem = (
  organizationId: string,
  entry: LedgerEntry,
  wallet: Wallet,
  notices: number,
): Item & Key => itemOf(entryFact(organizationId, entry, wallet, notices).toWrite(someOrigin));
