import { noticeKind } from '../../../lib/billing/stored/notice.ts';
import { ledgerEntryKind } from '../../../lib/billing/stored/stored-entry.ts';
import { feedHeadKind } from '../../../lib/changes/feed.ts';
import { erase } from '../../../lib/leads/erasure/erase.ts';
import { historyEntryKind } from '../../../lib/leads/history.ts';
import { readLeadState } from '../../../lib/leads/restore.ts';
import { delistOrganization } from '../../../lib/organizations/organization-list.ts';
import { tombstoneKind } from '../../../lib/organizations/tombstone.ts';
import type { TableClient } from '../../../lib/table/client.ts';
import { changeIndex } from '../../../lib/table/keys.ts';
import type { ItemOf } from '../../../lib/table/kind.ts';
import { readPartition } from '../../../lib/table/pages.ts';
import { type Item, toKey } from '../../../lib/table/table.ts';
import { put } from '../../../lib/table/write.ts';
import { Erasure } from '../erasure/erasure.ts';
import { WholeTable } from '../whole-table.ts';
import { commitTaken, type Tables, type Taken } from './tables.ts';

/** Changes before the last of the backup that are looked at, too: a restore can part what was written in one second. */
const againCount = 1000;

/** The leads that were erased since the backup are erased. */
export const takeOverErasedLeads = async (
  { old, restored }: Tables,
  organizationId: string,
  taken: Taken,
): Promise<void> => {
  const heads = (table: TableClient) =>
    readPartition(table, feedHeadKind, feedHeadKind.partition({ organizationId }));
  const known = new Map((await heads(restored)).map(({ sk, sequence }) => [sk, sequence]));
  for (const { sk: feed } of await heads(old)) {
    for await (const leadId of erasedIn(old, feed, (known.get(feed) ?? 0) - againCount)) {
      if (await eraseLeadAgain(restored, organizationId, leadId)) taken.erased_leads++;
    }
  }
};

/** The leads that were erased after this number of a feed. */
async function* erasedIn(table: TableClient, feed: string, after: number): AsyncGenerator<string> {
  let startAfter: Item | undefined;
  do {
    const { items, last } = await table.query({
      index: changeIndex.name,
      condition: 'feed = :feed AND #sequence > :after',
      names: { '#sequence': 'sequence' },
      values: { ':feed': feed, ':after': after },
      limit: 1000,
      startAfter,
    });
    for (const item of items) {
      const ids = historyEntryKind.find(toKey(item));
      if (ids && item.type === 'lead.erased') yield ids.leadId;
    }
    startAfter = last;
  } while (startAfter);
}

/** False for a lead that the restored table does not have, or has erased already. */
const eraseLeadAgain = async (
  table: TableClient,
  organizationId: string,
  leadId: string,
): Promise<boolean> => {
  const path = { lead_id: leadId };
  const call = { organizationId, path, userId: '', now: Date.now() } as Parameters<typeof erase>[0];
  let isNews = false;
  for (;;) {
    const found = await readLeadState(call, table);
    if (!found.item && !found.last) return false;
    const { status } = await erase(call, found, table, async (writes, reply) => {
      await commitTaken(table)(writes);
      return reply;
    });
    if (status === 204) return isNews;
    isNews = true;
  }
};

interface ErasedOrganization {
  id: string;
  name: string;
  tombstone: ItemOf<typeof tombstoneKind>;
  /** The name of the old table. */
  oldName: string;
}

/**
 * An organization that was erased is. The ledger that was kept of it is that of the old table, to its end. It leaves the
 * list of all last: so this can be repeated wherever it stopped.
 */
export const takeOverErasure = async (
  restored: TableClient,
  { id: organizationId, name, tombstone, oldName }: ErasedOrganization,
): Promise<void> => {
  const { began_at, keeps_ledger } = tombstone;
  const key = tombstoneKind.key({ organizationId });
  await restored.transact([put(key, { began_at, keeps_ledger })]);
  const whole = new WholeTable();
  await new Erasure(restored, whole, {
    organizationId,
    keepsLedger: keeps_ledger ?? false,
    onProgress: () => {},
  }).run();
  if (keeps_ledger) {
    const old = new WholeTable(oldName);
    for (const kind of [ledgerEntryKind, noticeKind]) {
      await whole.copyPartition(old, kind.partition({ organizationId }));
    }
  }
  const erased_at = new Date().toISOString();
  await restored.transact([
    put(key, { began_at, keeps_ledger, erased_at }),
    delistOrganization(organizationId, name),
  ]);
};
