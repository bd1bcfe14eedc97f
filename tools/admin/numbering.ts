import { feedHeadKind, feedIdOf } from '../../lib/changes/feed.ts';
import { mostAtOnce, numberChanges } from '../../lib/changes/numbering.ts';
import { entriesOf } from '../../lib/changes/outbox.ts';
import { putWake } from '../../lib/consumers/wake-item.ts';
import { ApiError } from '../../lib/errors/errors.ts';
import { organizationKind } from '../../lib/organizations/organization.ts';
import type { TableClient } from '../../lib/table/client.ts';
import type { Key } from '../../lib/table/keys.ts';
import { readPartition } from '../../lib/table/pages.ts';
import { WholeTable } from './whole-table.ts';

/**
 * Numbers what a restored table has of an organization, in its order in the feed of the table before, a page at a time:
 * what has its new number leaves the former feed's index. Returns how many changes that were.
 */
export const numberFormerFeeds = async (
  table: TableClient,
  organizationId: string,
): Promise<number> => {
  const pk = feedHeadKind.partition({ organizationId });
  const heads = await readPartition(table, feedHeadKind, pk);
  const former = heads
    .filter(({ sk }) => sk !== feedIdOf(organizationId))
    // A feed that was begun anew, and not ended, has the first of the changes.
    .toSorted((a, b) => a.numbered_at - b.numbered_at);
  let numberedCount = 0;
  for (const { sk: feedId } of former) {
    for await (const keys of new WholeTable().keysInFeed(feedId)) {
      numberedCount += await numberAll(table, organizationId, keys);
    }
  }
  if (former.length > 0) await wakeFollowers(table, organizationId);
  return numberedCount;
};

/** Numbers changes that never had a number. What is left of an erased organization is in no feed. */
export const numberLost = async (
  table: TableClient,
  organizationId: string,
  keys: readonly Key[],
): Promise<number> => {
  if (!(await table.get(organizationKind.key({ organizationId })))) return 0;
  const numberedCount = await numberAll(table, organizationId, keys);
  await wakeFollowers(table, organizationId);
  return numberedCount;
};

/** How long a transaction is retried while the service numbers changes, too. */
const retryMs = 30_000;

const patient = (table: TableClient) => table.during({ deadline: Date.now() + retryMs });

const numberAll = async (
  table: TableClient,
  organizationId: string,
  keys: readonly Key[],
): Promise<number> => {
  const entries = entriesOf(keys);
  let numberedCount = 0;
  for (let i = 0; i < entries.length; ) {
    const part = entries.slice(i, i + mostAtOnce);
    try {
      numberedCount += await numberChanges(patient(table), organizationId, part);
      i += part.length;
    } catch (error) {
      // The numbering came some of the way, through many that precede these.
      if (!(error instanceof ApiError) || error.code !== 'timeout') throw error;
    }
  }
  return numberedCount;
};

/** Nobody else wakes what follows the changes: after a restore, usage would wait for the next change. */
const wakeFollowers = (table: TableClient, organizationId: string): Promise<void> =>
  patient(table).transact([putWake(organizationId, Date.now())]);
