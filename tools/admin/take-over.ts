import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import { feedHeadKind } from '../../lib/changes/feed.ts';
import { ofCommand } from '../../lib/facts/origin.ts';
import { commitTo } from '../../lib/facts/transaction.ts';
import { erase } from '../../lib/leads/erasure/erase.ts';
import { historyEntryKind } from '../../lib/leads/history.ts';
import { readLeadState } from '../../lib/leads/restore.ts';
import { takeOverApiKey } from '../../lib/organizations/api-keys/api-key-writes.ts';
import {
  apiKeyKind,
  apiKeySettingsKind,
  platformKeyKind,
  platformKeySettingsKind,
} from '../../lib/organizations/api-keys/stored-api-key.ts';
import { putMemberWrites, removeMemberWrites } from '../../lib/organizations/member-writes.ts';
import { memberKind, readStoredMember } from '../../lib/organizations/members.ts';
import { organizationKind } from '../../lib/organizations/organization.ts';
import { readOrganizationList } from '../../lib/organizations/organization-list.ts';
import { suspensionWrites } from '../../lib/organizations/suspension.ts';
import { tombstoneKind } from '../../lib/organizations/tombstone.ts';
import { openTable, type TableClient } from '../../lib/table/client.ts';
import { changeIndex } from '../../lib/table/keys.ts';
import { readPartition } from '../../lib/table/pages.ts';
import { type Item, toKey } from '../../lib/table/table.ts';
import { put } from '../../lib/table/write.ts';
import { examples } from './arguments.ts';
import { eraseAgain } from './erase-organization.ts';
import { failure } from './failure.ts';
import { print } from './output.ts';
import { deletePlatformKey } from './platform-keys.ts';
import { openTarget } from './target.ts';

/** The table that a restored one replaces, and the restored one. */
interface Tables {
  old: TableClient;
  restored: TableClient;
}

/** How many of each were taken over. */
const noneTaken = {
  platform_keys: 0,
  api_keys: 0,
  members: 0,
  suspensions: 0,
  erased_leads: 0,
  erased_organizations: 0,
};
type Taken = typeof noneTaken;

const commit = (table: TableClient) => commitTo(table, ofCommand);

/** A key that was revoked is, and one that was deleted goes. */
const takeOverPlatformKeys = async ({ old, restored }: Tables, taken: Taken): Promise<void> => {
  const pk = platformKeySettingsKind.partition({});
  for (const { sk: keyId } of await readPartition(restored, platformKeySettingsKind, pk)) {
    const key = platformKeyKind.key({ keyId });
    const [before, after] = [await restored.get(key), await old.get(key)];
    if (before?.revoked_at !== undefined || before?.version === undefined) continue;
    if (after && JSON.stringify(sortedEntries(after)) === JSON.stringify(sortedEntries(before))) {
      continue;
    }
    taken.platform_keys++;
    if (!after) {
      await deletePlatformKey(restored, keyId);
      continue;
    }
    const { pk: _, sk: __, ...stored } = after;
    const { secrets: ___, ...settings } = stored;
    await restored.transact([
      put(key, stored),
      put(platformKeySettingsKind.key({ keyId }), settings),
    ]);
  }
};

const sortedEntries = (item: object) =>
  Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1));

const takeOverApiKeys = async ({ old, restored }: Tables, organizationId: string, taken: Taken) => {
  const pk = apiKeySettingsKind.partition({ organizationId });
  for (const { sk: keyId } of await readPartition(restored, apiKeySettingsKind, pk)) {
    const key = apiKeyKind.key({ keyId });
    const [before, after] = [await restored.get(key), await old.get(key)];
    if (!before || !after || after.version <= before.version) continue;
    const { pk: _, sk: __, ...stored } = after;
    await commit(restored)(takeOverApiKey(organizationId, keyId, before, stored, Date.now()));
    taken.api_keys++;
  }
};

/** Whoever was removed, or has another role, in the old table. Members who came since are not added. */
const takeOverMembers = async ({ old, restored }: Tables, organizationId: string, taken: Taken) => {
  const pk = memberKind.partition({ organizationId });
  for (const { sk: userId, role } of await readPartition(restored, memberKind, pk)) {
    const after = await readStoredMember(old, organizationId, userId);
    if (role === undefined || after.role === role) continue;
    const before = await readStoredMember(restored, organizationId, userId);
    const writes = after.role
      ? putMemberWrites(
          organizationId,
          before,
          { user_id: userId, role: after.role, name: before.name },
          Date.now(),
        )
      : removeMemberWrites(organizationId, before, userId, Date.now());
    await commit(restored)(writes);
    taken.members++;
  }
};

const takeOverErasures = async (
  { old, restored }: Tables,
  organizationId: string,
  taken: Taken,
) => {
  const heads = (table: TableClient) =>
    readPartition(table, feedHeadKind, feedHeadKind.partition({ organizationId }));
  const known = new Map((await heads(restored)).map(({ sk, sequence }) => [sk, sequence]));
  for (const { sk: feed } of await heads(old)) {
    for await (const leadId of erasedIn(old, feed, known.get(feed) ?? 0)) {
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
      await commit(table)(writes);
      return reply;
    });
    if (status === 204) return isNews;
    isNews = true;
  }
};

const takeOverOrganization = async (tables: Tables, id: string, taken: Taken): Promise<void> => {
  const { old, restored } = tables;
  const tombstone = await old.get(tombstoneKind.key({ organizationId: id }));
  if (tombstone) {
    await eraseAgain(restored, id, tombstone);
    taken.erased_organizations++;
    return;
  }
  const key = organizationKind.key({ organizationId: id });
  const [before, after] = [await restored.get(key), await old.get(key)];
  if (!before || !after) throw new Error('it is not in both tables');
  const writes = suspensionWrites(before, after.suspended_at !== undefined, Date.now());
  if (writes.length > 0) {
    await commit(restored)(writes);
    taken.suspensions++;
  }
  await takeOverApiKeys(tables, id, taken);
  await takeOverMembers(tables, id, taken);
  await takeOverErasures(tables, id, taken);
};

const openOld = (name: string): TableClient => {
  const restored = process.env.TABLE_NAME;
  if (name === restored) throw new CliError(`${name} is the table that is in use.`);
  process.env.TABLE_NAME = name;
  const table = openTable();
  process.env.TABLE_NAME = restored;
  return table;
};

export const takeOver = new Command('take-over')
  .description(
    'after a restore: revoke, remove and erase again what the table before says is revoked, removed or erased',
  )
  .requiredOption('--old <table>', 'the name of the table that was replaced')
  .addHelpText('after', examples('take-over --old "$TABLE" --stack LeadsAndStars'))
  .action(async (options: { old: string }, command: Command) => {
    const opened = await openTarget(command);
    const restored = opened.during({ deadline: Number.POSITIVE_INFINITY });
    const tables = { old: openOld(options.old), restored };
    const taken = { ...noneTaken };
    const failures: string[] = [];
    await takeOverPlatformKeys(tables, taken);
    let after: string | undefined;
    do {
      const page = await readOrganizationList(restored, { nameBegins: '', after, limit: 100 });
      for (const { id } of page.items) {
        await takeOverOrganization(tables, id, taken).catch((error) => {
          failures.push(`${id}: ${failure(error)}`);
        });
      }
      after = page.next ?? undefined;
    } while (after !== undefined);
    print(taken);
    if (failures.length > 0) {
      throw new CliError(`Not taken over whole, and can be repeated: ${failures.join('; ')}`);
    }
  });
