import { CliError } from '@leads-and-stars/runner';
import type { LedgerEntry } from '../../lib/billing/ledger.ts';
import { toLedgerEntry } from '../../lib/billing/stored-entry.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { ledgerEntryKey, ordinalPattern, walletKey } from '../../lib/table/keys.ts';
import { readPage } from '../../lib/table/pages.ts';
import type { Item } from '../../lib/table/table.ts';
import { readOrganization } from './read-organization.ts';

export const readWallet = async (table: TableClient, organizationId: string): Promise<Item> => {
  await readOrganization(table, organizationId);
  const item = await table.get(walletKey(organizationId));
  if (!item) throw new CliError(`The organization ${organizationId} has no wallet.`);
  return item;
};

export const readLedger = async (
  table: TableClient,
  organizationId: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<LedgerEntry[]> => {
  const list = {
    identity: [organizationId, 'admin'] as const,
    pk: ledgerEntryKey(organizationId, 0).pk,
    pattern: ordinalPattern,
    newestFirst: true,
    toItem: toLedgerEntry,
  };
  const entries: LedgerEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(table, list, {
      cursor,
      limit: Math.min(limit - entries.length, 1000),
    });
    entries.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor && entries.length < limit);
  return entries;
};
