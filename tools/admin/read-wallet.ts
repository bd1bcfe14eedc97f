import type { LedgerEntry } from '../../lib/billing/stored/ledger-entry.ts';
import { ledgerEntryKind, toLedgerEntry } from '../../lib/billing/stored/stored-entry.ts';
import { toWallet, type Wallet, walletKind } from '../../lib/billing/stored/wallet.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { ordinalPattern } from '../../lib/table/keys.ts';
import { readPage } from '../../lib/table/pages.ts';
import { WrongError } from './outcomes.ts';
import { expectOrganization } from './read-organization.ts';

/** The wallet of an organization. Throws `NotFoundError` without the organization, `WrongError` without its wallet. */
export const expectWallet = async (table: TableClient, organizationId: string): Promise<Wallet> => {
  await expectOrganization(table, organizationId);
  const item = await table.get(walletKind.key({ organizationId }));
  if (!item) throw new WrongError(`The organization ${organizationId} has no wallet.`);
  return toWallet(item);
};

export const readLedger = async (
  table: TableClient,
  organizationId: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<LedgerEntry[]> => {
  const list = {
    identity: [organizationId, 'admin'] as const,
    kind: ledgerEntryKind,
    pk: ledgerEntryKind.partition({ organizationId }),
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
