import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { readBalance } from '../../../lib/billing/read-balance.ts';
import {
  spendCounterKind,
  toSpendCounter,
} from '../../../lib/billing/stored/limits/spend-counter.ts';
import { limitKind, toSpendLimit } from '../../../lib/billing/stored/limits/spend-limit.ts';
import { openHoldKind } from '../../../lib/billing/stored/open-hold.ts';
import { ledgerEntryKind, toLedgerEntry } from '../../../lib/billing/stored/stored-entry.ts';
import { walletKind } from '../../../lib/billing/stored/wallet.ts';
import { readFeed } from '../../../lib/changes/feed.ts';
import { fieldsKind } from '../../../lib/fields/definition.ts';
import { noteKind, toNote } from '../../../lib/leads/notes/note.ts';
import { leadKind, listedLead } from '../../../lib/leads/stored-lead.ts';
import { toApiKey } from '../../../lib/organizations/api-keys/api-keys.ts';
import { apiKeySettingsKind } from '../../../lib/organizations/api-keys/stored-api-key.ts';
import { memberKind, membersOf } from '../../../lib/organizations/members.ts';
import { nameKind } from '../../../lib/organizations/names.ts';
import { organizationKind } from '../../../lib/organizations/organization.ts';
import { pipelineKind, toPipeline } from '../../../lib/pipelines/pipeline.ts';
import type { TableClient } from '../../../lib/table/client.ts';
import type { Key } from '../../../lib/table/place.ts';
import { type Item, toKey } from '../../../lib/table/table.ts';
import { webhookKind } from '../../../lib/webhooks/stored-webhook.ts';
import { toWebhook } from '../../../lib/webhooks/webhook.ts';

/** Some lines of a file, and where to go on after them. */
export interface Chunk {
  lines: readonly object[];
  after: string;
}

/** A file of an export. `after`: where an export that was stopped goes on. */
export interface ExportPart {
  file: string;
  read(after: string | undefined): AsyncGenerator<Chunk>;
}

const pageSize = 500;

/** All that is told of an organization, as the API tells it: no secrets, and nothing that is there for the service alone. */
export const exportParts = (
  table: TableClient,
  organizationId: string,
  pathOf: (file: string) => string,
): ExportPart[] => {
  const ids = { organizationId };
  const list = <I extends Key>(
    file: string,
    kind: { parse(item: Item): I; partition(of: typeof ids): string },
    toLine: (item: I) => object | undefined,
  ): ExportPart => ({
    file,
    async *read(after) {
      const pk = kind.partition(ids);
      for (let start = after; ; ) {
        const { items, last } = await table.query({
          kind,
          condition: 'pk = :pk',
          values: { ':pk': pk },
          limit: pageSize,
          startAfter: start === undefined ? undefined : { pk, sk: start },
        });
        start = last ? toKey(last).sk : (items.at(-1)?.sk ?? start ?? '');
        yield { lines: items.flatMap((item) => toLine(item) ?? []), after: start };
        if (!last) return;
      }
    },
  });
  const once = (file: string, read: () => Promise<readonly object[]>): ExportPart => ({
    file,
    async *read(after) {
      if (after === undefined) yield { lines: await read(), after: 'end' };
    },
  });
  return [
    once('organization.ndjson', async () => {
      const item = await table.get(organizationKind.key(ids));
      if (!item) return [];
      const { name, currency, created_at, suspended_at = null } = item;
      return [{ id: organizationId, name, currency, created_at, suspended_at }];
    }),
    list('members.ndjson', memberKind, membersOf(organizationId).toItem),
    list('names.ndjson', nameKind, ({ sk: user_id, name = null }) => ({ user_id, name })),
    list('pipelines.ndjson', pipelineKind, toPipeline),
    once('fields.ndjson', async () => (await table.get(fieldsKind.key(ids)))?.fields ?? []),
    list('api_keys.ndjson', apiKeySettingsKind, (stored) => {
      const { last_used_on: _, ...key } = toApiKey({ id: stored.sk, stored, lastUsedOn: null });
      return key;
    }),
    list('webhooks.ndjson', webhookKind, (item) => toWebhook(item, Date.now())),
    once('wallet.ndjson', async () => {
      const wallet = await table.get(walletKind.key(ids));
      if (!wallet) return [];
      const balance = await readBalance(table, organizationId, Date.now());
      return [{ ...balance, thresholds: wallet.thresholds }];
    }),
    list('holds.ndjson', openHoldKind, ({ pk: _, sk: __, ...hold }) => hold),
    list('limits.ndjson', limitKind, (item) => {
      const { kind, name } = limitKind.idsOf(item);
      return { kind, name, ...toSpendLimit(item) };
    }),
    list('spent.ndjson', spendCounterKind, (item) => {
      const { kind, name } = spendCounterKind.idsOf(item);
      const { version: _, ...spent } = toSpendCounter(item);
      return { kind, name, ...spent, at: new Date(spent.at).toISOString() };
    }),
    list('ledger.ndjson', ledgerEntryKind, toLedgerEntry),
    list('leads.ndjson', leadKind, (item) => listedLead.parse({ ...item })),
    changesPart(table, organizationId),
    notesPart(table, organizationId, pathOf(changesFile)),
  ];
};

const changesFile = 'changes.ndjson';

/** The feed: what happened to each thing, also to leads and notes that are gone. */
const changesPart = (table: TableClient, organizationId: string): ExportPart => ({
  file: changesFile,
  async *read(after) {
    for (let last = Number(after ?? 0); ; ) {
      const page = await readFeed(table, organizationId, { after: last, limit: pageSize });
      const isNew = page.lastSequence > last;
      last = page.lastSequence;
      yield { lines: page.items.map(({ change }) => change), after: String(last) };
      if (!page.hasMore || !isNew) return;
    }
  },
});

/** No list has the notes of all leads: the changes say which leads have any. */
const notesPart = (table: TableClient, organizationId: string, changes: string): ExportPart => ({
  file: 'notes.ndjson',
  async *read(after = '') {
    const leads = new Set<string>();
    for await (const line of createInterface({ input: createReadStream(changes) })) {
      const { type, lead_id } = JSON.parse(line);
      if (String(type).startsWith('note.')) leads.add(lead_id);
    }
    for (const leadId of [...leads].sort().filter((id) => id > after)) {
      const lines: object[] = [];
      let startAfter: Item | undefined;
      do {
        const page = await table.query({
          kind: noteKind,
          condition: 'pk = :pk',
          values: { ':pk': noteKind.partition({ organizationId, leadId }) },
          limit: pageSize,
          startAfter,
        });
        lines.push(...page.items.map((item) => ({ lead_id: leadId, ...toNote(item) })));
        startAfter = page.last;
      } while (startAfter);
      yield { lines, after: leadId };
    }
  },
});
