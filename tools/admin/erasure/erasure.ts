import { eventRecordKind } from '../../../lib/billing/stored/event-record.ts';
import { paymentKind } from '../../../lib/billing/stored/payment.ts';
import { ledgerEntryKind } from '../../../lib/billing/stored/stored-entry.ts';
import { subscriptionOwnerKind } from '../../../lib/billing/stored/subscription-owner.ts';
import { walletKind } from '../../../lib/billing/stored/wallet.ts';
import { feedHeadKind, feedIdOf } from '../../../lib/changes/feed.ts';
import { dueKind } from '../../../lib/consumers/due-times.ts';
import { atRevision } from '../../../lib/consumers/follower.ts';
import { updateLookups } from '../../../lib/leads/contacts.ts';
import { updateWords } from '../../../lib/leads/search/word-items.ts';
import { leadKind, replaceLead, toStoredLead } from '../../../lib/leads/stored-lead.ts';
import { apiKeyKind } from '../../../lib/organizations/api-keys/stored-api-key.ts';
import { tombstoneKind } from '../../../lib/organizations/tombstone.ts';
import type { TableClient } from '../../../lib/table/client.ts';
import { places } from '../../../lib/table/keys.ts';
import type { ItemOf } from '../../../lib/table/kind.ts';
import type { Key } from '../../../lib/table/place.ts';
import { ConflictError } from '../../../lib/table/retry.ts';
import { toKey } from '../../../lib/table/table.ts';
import { remove, withoutFact } from '../../../lib/table/write.ts';
import { usageKind } from '../../../lib/usage/counted.ts';
import { inTurns } from '../in-turns.ts';
import type { WholeTable } from '../whole-table.ts';
import { isOfFacts, type PlaceName, partitionedById } from './organization-parts.ts';

/** Leads that are erased at the same time. */
const leadsAtOnce = 4;
const leadsOfPage = 100;

/** What has one more place to be found by than the organization's id: each is removed with what names it. */
export const erasedWith = {
  apiKeyFact: 'its keys, and the feed',
  memberFact: 'its members, and the feed',
  pipelineFact: 'its pipelines, and the feed',
  webhookFact: 'the feed',
  delivery: 'its webhooks, and the feed',
  due: 'its webhooks, and the feed',
  counter: 'its pipelines, its leads, and the feed',
  eventRecord: 'the ledger',
  historyEntry: 'its leads, and the feed',
  noteHistoryEntry: 'notes, traces and the feed',
  note: 'its leads, and the feed',
  noteTrace: 'its leads, and the feed',
  recordTrace: 'its leads, and the feed',
  leadOfTag: 'its leads',
  leadOfFieldValue: 'its leads',
  contactGuard: 'its leads',
  contactLookup: 'its leads',
  externalId: 'its leads',
  word: 'its leads',
  listedOrganization: 'the organization',
  usageSum: 'how far usage is counted',
  idempotencyRecord: 'time',
} as const satisfies Partial<Record<PlaceName, string>>;

/** Each of these goes with what it alone names, or not at all: what comes after it was followed stays for the next run. */
const followed: ReadonlySet<PlaceName> = new Set<PlaceName>([
  'apiKeySettings',
  'webhook',
  'member',
  'lead',
  'ledgerEntry',
  'usage',
  'pipeline',
]);

interface ErasureTerms {
  organizationId: string;
  keepsLedger: boolean;
  /** Told how many items are gone so far. */
  onProgress(what: string): void;
}

// docs/decisions/erasing-organizations.md
/**
 * Removes all that belongs to an organization, in an order in which what is a list goes after what it lists, and only what
 * was followed. So it can stop anywhere, something may come meanwhile, and it is done once it was run again.
 */
export class Erasure {
  readonly #table: TableClient;
  readonly #whole: WholeTable;
  readonly #terms: ErasureTerms;
  /** Leads whose histories and notes are gone. */
  readonly #done = new Set<string>();

  constructor(table: TableClient, whole: WholeTable, terms: ErasureTerms) {
    this.#table = table;
    this.#whole = whole;
    this.#terms = terms;
  }

  async run(): Promise<void> {
    await this.#removeKeys();
    await this.#removeWebhooks();
    await this.#removeMembers();
    await this.#removeLeads();
    await this.#removeEvents();
    await this.#removeUsage();
    await this.#followFeeds();
    await this.#removePipelines();
    await this.#removeById();
    this.#terms.onProgress('all of it');
  }

  get #ids() {
    return { organizationId: this.#terms.organizationId };
  }

  async #removeKeys(): Promise<void> {
    const { organizationId } = this.#terms;
    for await (const keys of this.#whole.keysIn(places.apiKeySettings.partition(this.#ids))) {
      for (const { sk: keyId } of keys) await this.#removeKey(keyId);
      await this.#whole.delete(keys);
    }
    this.#terms.onProgress(`keys of ${organizationId}`);
  }

  /** A key's own partition names no organization: its item does. */
  async #removeKey(keyId: string): Promise<void> {
    const key = apiKeyKind.key({ keyId });
    const found = await this.#table.get(key);
    if (found?.organization_id === this.#terms.organizationId) await this.#whole.delete([key]);
    await this.#whole.deletePartition(places.apiKeyFact.partition({ ...this.#ids, keyId }));
  }

  async #removeWebhooks(): Promise<void> {
    for await (const keys of this.#whole.keysIn(places.webhook.partition(this.#ids))) {
      // The webhook first: whoever works for it loses its lease, and posts no more.
      await this.#whole.delete(keys);
      for (const { sk } of keys) await this.#removeWebhook(sk);
    }
    this.#terms.onProgress('webhooks');
  }

  async #removeWebhook(webhookId: string): Promise<void> {
    const ids = { ...this.#ids, webhookId };
    const due = dueKind.key({ ...this.#ids, consumer: 'webhooks', id: webhookId });
    await this.#whole.delete([places.webhook.key(ids), due]);
    await this.#whole.deletePartition(places.delivery.partition(ids));
    await this.#whole.deletePartition(places.webhookFact.partition(ids));
  }

  async #removeMembers(): Promise<void> {
    for await (const keys of this.#whole.keysIn(places.member.partition(this.#ids))) {
      for (const { sk: userId } of keys) {
        await this.#whole.deletePartition(places.memberFact.partition({ ...this.#ids, userId }));
      }
      await this.#whole.delete(keys);
    }
    this.#terms.onProgress('members');
  }

  async #removeLeads(): Promise<void> {
    for (;;) {
      const { items } = await this.#table.query({
        kind: leadKind,
        condition: 'pk = :pk',
        values: { ':pk': leadKind.partition(this.#ids) },
        limit: leadsOfPage,
        consistent: true,
      });
      if (items.length === 0) return;
      // A lead that came late counts in a pipeline that may be gone.
      const pipelineIds = new Set(items.map((item) => toStoredLead(item).lead.pipeline_id));
      for (const pipelineId of pipelineIds) await this.#removeCounters(pipelineId);
      await inTurns(items, leadsAtOnce, (item) => this.#removeLead(item));
      this.#terms.onProgress('leads');
    }
  }

  /** A lead with what it is found by goes in one transaction, on the lead as it was read: a late change is read again. */
  async #removeLead(item: ItemOf<typeof leadKind>): Promise<void> {
    const { organizationId } = this.#terms;
    const stored = toStoredLead(item);
    await this.#removeNotes(stored.lead.id);
    const writes = [
      ...replaceLead(organizationId, stored, undefined),
      ...updateLookups(organizationId, stored, undefined),
      ...updateWords(organizationId, stored, undefined),
    ];
    try {
      await this.#table.transact(writes.map(withoutFact), { retryConflicts: false });
      this.#whole.deletedItems += writes.length;
    } catch (error) {
      if (error instanceof ConflictError) return;
      throw error;
    }
    await this.#removeContent(stored.lead.id);
  }

  /** The notes of a lead with their histories, and traces, which lead to those of deleted notes. */
  async #removeNotes(leadId: string): Promise<void> {
    const ids = { ...this.#ids, leadId };
    const noteIdOf = (key: Key) => places.note.find(key) ?? places.noteTrace.find(key);
    for (const pk of [places.note.partition(ids), places.noteTrace.partition(ids)]) {
      for await (const keys of this.#whole.keysIn(pk)) {
        for (const found of keys.map(noteIdOf)) {
          if (found) await this.#whole.deletePartition(places.noteHistoryEntry.partition(found));
        }
        await this.#whole.delete(keys);
      }
    }
  }

  /** What is left of a lead that is gone. Its history goes last, as it names the lead. */
  async #removeContent(leadId: string): Promise<void> {
    if (this.#done.has(leadId)) return;
    await this.#removeNotes(leadId);
    await this.#whole.deletePartition(places.historyEntry.partition({ ...this.#ids, leadId }));
    this.#done.add(leadId);
  }

  /**
   * The ledger names each event and hold, and the record of an event its payment and its subscription. The wallet goes
   * first: without it no entry comes.
   */
  async #removeEvents(): Promise<void> {
    const { organizationId, keepsLedger } = this.#terms;
    await this.#whole.deletePartition(walletKind.partition(this.#ids));
    const pk = ledgerEntryKind.partition(this.#ids);
    for (let after: Key | undefined; ; ) {
      const { items, last } = await this.#table.query({
        kind: ledgerEntryKind,
        condition: 'pk = :pk',
        values: { ':pk': pk },
        limit: leadsOfPage,
        startAfter: after && { ...after },
        consistent: true,
      });
      const ids = [...new Set(items.flatMap(({ event_id }) => event_id ?? []))];
      const keys = ids.map((eventId) => eventRecordKind.key({ organizationId, eventId }));
      const records = await this.#table.getAll(keys);
      const named = records.flatMap((record) => [
        ...(record?.payment_id ? [paymentKind.key({ payment: record.payment_id })] : []),
        ...(record?.subscription_id
          ? [subscriptionOwnerKind.key({ subscription: record.subscription_id })]
          : []),
      ]);
      const found = await this.#table.getAll(named);
      await this.#whole.delete(
        named.filter((_, i) => found[i]?.organization_id === organizationId),
      );
      // Where the ledger stays, a repeat finds them gone.
      await this.#whole.delete(keys.filter((_, i) => records[i]));
      if (!keepsLedger) await this.#whole.delete(items.map(toKey));
      this.#terms.onProgress('events');
      if (!last) return;
      after = toKey(last);
    }
  }

  /** Usage as it was read goes, with its sums: who counts meanwhile makes it another, which is read again. */
  async #removeUsage(): Promise<void> {
    const key = usageKind.key(this.#ids);
    for (;;) {
      const counted = await this.#table.get(key);
      if (!counted) return;
      for (const sumsId of [counted.sums_id, ...counted.former_sums]) {
        await this.#whole.deletePartition(places.usageSum.partition({ ...this.#ids, sumsId }));
      }
      try {
        const terms = { condition: atRevision(counted), refused: () => new ConflictError() };
        await this.#table.transact([remove(key, terms)], { retryConflicts: false });
        return;
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  }

  /** What the lists no longer have, and a feed still names: leads and webhooks that were deleted. */
  async #followFeeds(): Promise<void> {
    // Without a head, too: a fact may have got its number as the head went.
    await this.#followFeed(feedIdOf(this.#terms.organizationId));
    for await (const heads of this.#whole.keysIn(feedHeadKind.partition(this.#ids))) {
      // A restored table has facts that are still in the feed of the table before.
      for (const { sk: feedId } of heads) await this.#followFeed(feedId);
    }
  }

  async #followFeed(feedId: string): Promise<void> {
    for await (const facts of this.#whole.keysInFeed(feedId)) {
      for (const fact of facts) await this.#removeNamed(fact);
      await this.#whole.delete(facts.filter((fact) => !this.#isKept(fact.pk)));
      this.#terms.onProgress('what the feed names');
    }
  }

  #isKept(pk: string): boolean {
    const { keepsLedger } = this.#terms;
    const ledgers = [places.ledgerEntry.partition(this.#ids), places.notice.partition(this.#ids)];
    return keepsLedger && ledgers.includes(pk);
  }

  async #removeNamed(fact: Key): Promise<void> {
    const note = places.noteHistoryEntry.find(fact);
    const lead = places.historyEntry.find(fact) ?? note;
    const webhook = places.webhookFact.find(fact);
    const apiKey = places.apiKeyFact.find(fact);
    const pipeline = places.pipelineFact.find(fact);
    if (lead) await this.#removeContent(lead.leadId);
    if (note) await this.#whole.deletePartition(fact.pk);
    if (webhook) await this.#removeWebhook(webhook.webhookId);
    if (apiKey) await this.#removeKey(apiKey.keyId);
    if (pipeline) await this.#removePipeline(pipeline.pipelineId);
  }

  async #removePipelines(): Promise<void> {
    for await (const keys of this.#whole.keysIn(places.pipeline.partition(this.#ids))) {
      for (const { sk } of keys) await this.#removePipeline(sk);
      await this.#whole.delete(keys);
    }
  }

  async #removePipeline(pipelineId: string): Promise<void> {
    await this.#removeCounters(pipelineId);
    await this.#whole.deletePartition(places.pipelineFact.partition({ ...this.#ids, pipelineId }));
  }

  #removeCounters(pipelineId: string): Promise<void> {
    return this.#whole.deletePartition(places.counter.partition({ ...this.#ids, pipelineId }));
  }

  /** The other partitions that the id alone names: facts last, and the feed's head after them. */
  async #removeById(): Promise<void> {
    const partitions = new Set(
      partitionedById
        .filter((name) => !followed.has(name))
        .map((name) => places[name].partition(this.#ids as never)),
    );
    const rankOf = (pk: string) =>
      pk.startsWith(places.feedHead.prefix) ? 2 : Number(isOfFacts(pk));
    const tombstone = tombstoneKind.key(this.#ids);
    for (const pk of [...partitions].toSorted((a, b) => rankOf(a) - rankOf(b))) {
      if (this.#isKept(pk)) continue;
      for await (const keys of this.#whole.keysIn(pk)) {
        await this.#whole.delete(
          keys.filter(({ sk }) => pk !== tombstone.pk || sk !== tombstone.sk),
        );
      }
    }
  }
}
