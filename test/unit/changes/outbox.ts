import { randomUUID } from 'node:crypto';
import { BatchWriteCommand, DeleteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { adminClient } from '@leads-and-stars/runner';
import type { Change } from '../../../lib/changes/change.ts';
import { readFeed } from '../../../lib/changes/feed.ts';
import { numberChanges } from '../../../lib/changes/numbering.ts';
import { entriesOf } from '../../../lib/changes/outbox.ts';
import { openTable } from '../../../lib/table/client.ts';
import type { Key } from '../../../lib/table/keys.ts';
import { historyKey, ledgerEntryKey, noticeKey } from '../../support/keys.ts';
import { surroundings } from '../support.ts';

// Items of the outbox as the service writes them, put past it.

export const table = openTable();
const engine = DynamoDBDocumentClient.from(adminClient(surroundings.tableEndpoint));

const put = async (items: readonly object[]) => {
  for (let i = 0; i < items.length; i += 25) {
    const requests = items.slice(i, i + 25).map((Item) => ({ PutRequest: { Item: { ...Item } } }));
    const RequestItems = { [surroundings.tableName]: requests };
    await engine.send(new BatchWriteCommand({ RequestItems }));
  }
};

const now = () => new Date().toISOString();

/** Takes one away, as a restore can part what was written together. */
export const takeAway = (key: Key) =>
  engine.send(new DeleteCommand({ TableName: surroundings.tableName, Key: { ...key } }));

/** An organization that has nothing but an outbox. */
export class Outbox {
  readonly id = randomUUID();

  /** The entries of a lead's first versions; answers their keys. */
  async lead(versions: number, { at = now(), from = 1, lead = randomUUID() as string } = {}) {
    const entries = upTo(versions)
      .slice(from - 1)
      .map((version) => ({
        ...historyKey(this.id, lead, version),
        version,
        type: version === 1 ? 'lead.created' : 'lead.updated',
        at,
        user_id: randomUUID(),
        changes: [{ field: 'value_cents', from: version - 1, to: version }],
      }));
    await put(entries);
    return entries.map(({ pk, sk }): Key => ({ pk, sk }));
  }

  /** A ledger entry with so many notices; answers the keys of all. */
  async entry(version: number, notices: number, times: { at?: string; written_at?: string } = {}) {
    const [monthly_change, pack_change, monthly_after, pack_after] = [0, -1, 0, 0];
    const stars = { monthly_lapsed: 0, monthly_change, pack_change, monthly_after, pack_after };
    const cause = { type: 'stars.spent', event_id: randomUUID(), reason: null };
    const entry = ledgerEntryKey(this.id, version);
    const keys = Array.from({ length: notices }, (_, i) => noticeKey(this.id, version, i));
    const made = { version, at: now(), ...times };
    await put([
      { ...entry, ...made, ...cause, ...stars, wallet: {}, ...(notices > 0 && { notices }) },
      ...keys.map((key) => ({ ...key, ...made, type: 'stars.depleted' })),
    ]);
    return [entry, ...keys];
  }

  /** Numbers them; answers how many had no number. */
  number(keys: readonly Key[], milliseconds = 20_000): Promise<number> {
    const deadline = Date.now() + milliseconds;
    return numberChanges(table.during({ deadline }), this.id, entriesOf(keys));
  }

  /** The whole feed, page by page. */
  async feed(): Promise<Change[]> {
    const changes: Change[] = [];
    for (let after = 0; ; ) {
      const page = await readFeed(table, this.id, { after, limit: 200 });
      changes.push(...page.items.map(({ change }) => change));
      after = page.lastSequence;
      if (!page.hasMore) return changes;
    }
  }
}

/** 1, 2, 3, … */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
