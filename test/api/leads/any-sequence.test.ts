import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HistoryEntry } from '../../../lib/leads/history.ts';
import type { Lead } from '../../../lib/leads/lead.ts';
import { sorts } from '../../../lib/leads/lists/terms/orders.ts';
import { wordsOf } from '../../../lib/leads/search/words.ts';
import { eventsUntil, inFeedOrder, type Sent } from '../../support/events-out.ts';
import {
  applied,
  asSent,
  contentOf as contentInFeed,
  feedStart,
  readFeed,
} from '../../support/feed.ts';
import { listOf, queryOf } from '../../support/list-model.ts';
import { expectFindable, itemsOf } from '../../support/lookups.ts';
import { sentOrders, sentOrderValues, untriedOrders } from '../../support/order-values.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { random, seed } from '../../support/random.ts';
import { quick, times } from '../../support/some.ts';

// Any sequence of operations on leads, held against a model in memory.

const stages = ['new', 'contacted', 'won'];
const tags = ['a', 'b', 'ç'];
const externals = ['crm-1', 'crm-2', 'CRM-1'];
const sources = ['google', 'fair'];
const emails = ['a@example.com', 'B@example.com', 'b@example.com'];

/** Some are chosen more often. */
const often = (count: number, action: string): string[] => Array(count).fill(action);
const actions = [
  ...often(3, 'create'),
  'batch',
  ...often(2, 'upsert'),
  ...often(3, 'patch'),
  ...often(2, 'delete'),
  'restore',
  ...often(2, 'merge'),
  'erase',
];

const choice = fc.record({
  action: fc.constantFrom(...actions),
  /** Which lead, of those that there are or were, … */
  lead: fc.nat(20),
  /** … and another one. */
  other: fc.nat(20),
  pipeline: fc.nat(2),
  stage: fc.option(fc.constantFrom(...stages), { nil: undefined }),
  owner: fc.option(fc.nat(1)),
  tags: fc.uniqueArray(fc.constantFrom(...tags)),
  email: fc.option(fc.constantFrom(...emails)),
  /** What lists are sorted by: the seed of its values, and how often there is none. */
  values: fc.nat(),
  absent: fc.constantFrom(0, 0.5),
  external: fc.constantFrom(...externals),
  source: fc.option(fc.constantFrom(...sources)),
  /** Send it twice under one key. */
  repeat: fc.boolean(),
});
type Choice = typeof choice extends fc.Arbitrary<infer T> ? T : never;

class Model {
  readonly organization: Organization;
  readonly leads = new Map<string, Lead>();
  readonly everMade = new Set<string>();
  /** As they were. */
  readonly deleted = new Map<string, Lead>();
  /** What each was merged into. */
  readonly merged = new Map<string, string>();
  readonly erased = new Set<string>();

  constructor(organization: Organization) {
    this.organization = organization;
  }

  fields(c: Choice, next = random(c.values)) {
    const { agent, admin } = this.organization.users;
    const values = sentOrderValues(next, c.absent);
    return {
      ...values,
      // So that the sum of all stays a number that JavaScript has.
      value_cents: values.value_cents && Math.min(values.value_cents, 2 ** 40),
      next_step: values.next_step_at && 'Call',
      pipeline_id: this.organization.pipelines[c.pipeline]!.id,
      owner_id: c.owner === null ? null : [agent, admin][c.owner],
      tags: c.tags,
      email: c.email,
      fields: { source: c.source },
    };
  }

  isTaken(email: string | null, pipelineId: string, ...by: (string | undefined)[]): boolean {
    return [...this.leads.values()].some(
      (lead) =>
        !by.includes(lead.id) &&
        lead.pipeline_id === pipelineId &&
        lead.email !== null &&
        lead.email.toLowerCase() === email?.toLowerCase(),
    );
  }

  async run(c: Choice): Promise<void> {
    const target = pick(this.leads, c.lead);
    const [other, deleted] = [pick(this.leads, c.other), pick(this.deleted, c.other)];
    if (c.action === 'create') await this.create(c);
    if (c.action === 'batch') await this.batch(c);
    if (c.action === 'upsert') await this.upsert(c);
    if (c.action === 'patch' && target) await this.patch(c, target);
    if (c.action === 'delete' && target) await this.delete(c, target);
    if (c.action === 'restore' && deleted) await this.restore(c, deleted);
    if (c.action === 'merge' && target && other) await this.merge(c, target, other);
    if (c.action === 'erase') await this.erase(deleted ?? target);
  }

  /** Sends a request, perhaps twice under one key: then both answers are the same. */
  async send(c: Choice, request: (o: object) => ReturnType<Organization['get']>) {
    const options = { headers: { 'idempotency-key': randomUUID() } };
    const first = await request(c.repeat ? options : {});
    if (c.repeat && first.status < 300) expect((await request(options)).text).toBe(first.text);
    return first;
  }

  remember(lead: Lead): void {
    this.leads.set(lead.id, lead);
    this.everMade.add(lead.id);
  }

  async create(c: Choice): Promise<void> {
    const fields = this.fields(c);
    const body = { contact_name: 'Maria', ...fields };
    const taken = this.isTaken(c.email, fields.pipeline_id);
    const answer = await this.send(c, (o) => this.organization.post('/leads', body, o));
    expect(answer.status).toBe(taken ? 409 : 201);
    if (!taken) this.remember(answer.body);
  }

  async batch(c: Choice): Promise<void> {
    // What they are sorted by differs.
    const leads = [0, 1, 2].map((i) => ({
      contact_name: `Maria ${i}`,
      ...this.fields(c, () => i / 3),
    }));
    const taken = this.isTaken(c.email, leads[0]!.pipeline_id);
    const answer = await this.send(c, (o) => this.organization.post('/leads/batch', { leads }, o));
    const others = c.email === null ? 201 : 409;
    const expected = [taken ? 409 : 201, others, others];
    expect(answer.body.items.map(({ status }: { status: number }) => status)).toEqual(expected);
    for (const { lead } of answer.body.items) if (lead) this.remember(lead);
  }

  async upsert(c: Choice): Promise<void> {
    const { pipeline_id, ...fields } = this.fields(c);
    const there = [...this.leads.values()].find((lead) => lead.external_id === c.external);
    const lead = { contact_name: 'Maria', external_id: c.external, pipeline_id, ...fields };
    const taken = this.isTaken(c.email, there?.pipeline_id ?? pipeline_id, there?.id);
    const answer = await this.send(c, (o) =>
      this.organization.post('/leads/upsert', { match: 'external_id', lead }, o),
    );
    expect(answer.status).toBe(taken ? 409 : there ? 200 : 201);
    if (taken) return;
    const { outcome, lead: after } = answer.body;
    expect(outcome === 'created').toBe(there === undefined);
    if (outcome === 'unchanged') expect(after).toEqual(there);
    expect(after).toMatchObject({
      ...lead,
      pipeline_id: there?.pipeline_id ?? pipeline_id,
      fields: sourceOf(c),
      stage_entered_at: (there ?? after).stage_entered_at,
    });
    this.remember(after);
  }

  async patch(c: Choice, lead: Lead): Promise<void> {
    const { pipeline_id, ...fields } = this.fields(c);
    const patch = { ...fields, pipeline_id, ...(c.stage && { stage: c.stage }) };
    const moves = pipeline_id !== lead.pipeline_id;
    const taken = this.isTaken(c.email, pipeline_id, lead.id);
    const answer = await this.send(c, (o) =>
      this.organization.patch(`/leads/${lead.id}`, patch, o),
    );
    expect(answer.status).toBe(taken ? 409 : 200);
    if (taken) return;
    const stage = c.stage ?? (moves ? 'new' : lead.stage);
    expect(answer.body).toEqual({
      ...lead,
      ...patch,
      fields: sourceOf(c),
      stage,
      stage_entered_at:
        moves || stage !== lead.stage ? answer.body.updated_at : lead.stage_entered_at,
      updated_at: expect.any(String),
    });
    this.remember(answer.body);
  }

  async delete(c: Choice, lead: Lead): Promise<void> {
    const answer = await this.send(c, (o) => this.organization.delete(`/leads/${lead.id}`, o));
    expect(answer.status).toBe(204);
    this.leads.delete(lead.id);
    this.deleted.set(lead.id, lead);
  }

  async restore(c: Choice, lead: Lead): Promise<void> {
    const externals = [...this.leads.values()].map(({ external_id }) => external_id);
    const isNamed = lead.external_id !== null && externals.includes(lead.external_id);
    const taken = isNamed || this.isTaken(lead.email, lead.pipeline_id);
    const answer = await this.send(c, (o) =>
      this.organization.post(`/leads/${lead.id}/restore`, undefined, o),
    );
    expect(answer.status).toBe(taken ? 409 : 200);
    if (taken) return;
    expect(answer.body).toEqual({ ...lead, updated_at: expect.any(String) });
    this.deleted.delete(lead.id);
    this.remember(answer.body);
  }

  async merge(c: Choice, survivor: Lead, other: Lead): Promise<void> {
    const gets = survivor.email === null && other.email !== null;
    const taken = gets && this.isTaken(other.email, survivor.pipeline_id, survivor.id, other.id);
    const answer = await this.send(c, (o) =>
      this.organization.post(`/leads/${survivor.id}/merge`, { from: other.id }, o),
    );
    const isItself = survivor.id === other.id;
    expect(answer.status).toBe(isItself ? 400 : taken ? 409 : 200);
    if (answer.status !== 200) return;
    expect(answer.body).toEqual({
      ...survivor,
      email: survivor.email ?? other.email,
      external_id: survivor.external_id ?? other.external_id,
      owner_id: survivor.owner_id ?? other.owner_id,
      ...Object.fromEntries(sentOrders.map((order) => [order, survivor[order] ?? other[order]])),
      next_step: survivor.next_step ?? other.next_step,
      tags: [...new Set([...survivor.tags, ...other.tags])],
      fields: { ...other.fields, ...survivor.fields },
      updated_at: expect.any(String),
    });
    this.leads.delete(other.id);
    this.merged.set(other.id, survivor.id);
    this.remember(answer.body);
  }

  async erase(lead: Lead | undefined): Promise<void> {
    if (!lead) return;
    for (const status of [202, 204]) {
      const answer = await this.organization.post(`/leads/${lead.id}/erase`, undefined);
      expect(answer.status).toBe(status);
    }
    this.leads.delete(lead.id);
    this.deleted.delete(lead.id);
    this.#noteErased(lead.id);
  }

  #noteErased(id: string): void {
    this.erased.add(id);
    for (const [from, into] of this.merged) if (into === id) this.#noteErased(from);
  }

  async assertLists(): Promise<void> {
    const newestFirst = [...this.leads.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
    const owner_id = this.organization.users.agent;
    const filters: Record<string, string>[] = [
      {},
      ...stages.map((stage) => ({ stage })),
      ...tags.map((tag) => ({ tag })),
      ...emails.map((email) => ({ email })),
      ...externals.map((external_id) => ({ external_id })),
      ...sources.map((source) => ({ 'fields[source]': source })),
      ...this.organization.pipelines.flatMap(({ id: pipeline_id }) => [
        { pipeline_id },
        { pipeline_id, stage: 'won' },
        { pipeline_id, tag: 'a' },
        { pipeline_id, owner_id },
        { pipeline_id, owner_id, stage: 'new' },
      ]),
      { owner_id },
      { owner_id, stage: 'new' },
    ];
    expect(untriedOrders(this.leads.values())).toEqual([]);
    for (const sort of sorts) {
      for (const pipeline_id of [undefined, this.organization.pipelineId]) {
        const wanted = { tags: [], owner_id, pipeline_id };
        const listed = await this.organization.readAll(`/leads?${queryOf(wanted, sort)}`, 2);
        expect([sort, listed]).toEqual([
          sort,
          listOf(this.leads.values(), wanted, sort, () => 'open'),
        ]);
      }
    }
    for (const filter of filters) {
      const listed = await this.organization.readAll(`/leads?${new URLSearchParams(filter)}`, 2);
      const expected = newestFirst.filter((lead) => hasAll(lead, filter));
      expect([filter, listed]).toEqual([filter, expected]);
    }
  }

  async assertSummaries(): Promise<void> {
    const total = (of: Lead[]) => ({
      leads: of.length,
      value_cents: of.reduce((sum, { value_cents }) => sum + (value_cents ?? 0), 0),
    });
    for (const { id } of this.organization.pipelines) {
      const { body } = await this.organization.get(`/pipelines/${id}/summary`);
      const leads = [...this.leads.values()].filter((lead) => lead.pipeline_id === id);
      const ofStages = stages.map((name) => ({
        name,
        outcome: 'open',
        ...total(leads.filter(({ stage }) => stage === name)),
      }));
      expect(body).toEqual({
        pipeline_id: id,
        currency: 'USD',
        ...total(leads),
        stages: ofStages,
      });
    }
  }

  /** `start` is the number of the last change before the first lead. */
  async assertEvents(start: number): Promise<void> {
    const histories = new Map<string, (HistoryEntry & { user_name: string | null })[]>();
    for (const id of this.everMade) {
      histories.set(id, await this.organization.readAll(`/leads/${id}/history`));
    }
    const last = start + [...histories.values()].flat().length;
    const isLast = ({ detail }: Sent) => detail.sequence === last;
    const sent = await eventsUntil(this.organization.id, isLast);
    const ids = sent.map(({ detail }) => detail.event_id);
    expect([ids.length, new Set(ids).size]).toEqual([last, last]);
    for (const [id, entries] of histories) {
      // A change has no name: who reads it may not be allowed to know it.
      const told = this.erased.has(id)
        ? entries.map(({ type, version }) => ({ type, version }))
        : entries.map(({ user_name, ...entry }) => entry);
      const details = sent.map(({ detail }) => detail).filter(({ lead_id }) => lead_id === id);
      expect(details).toMatchObject(told.reverse());
    }
    // The feed is the very same, and whoever applies it has the leads.
    const feed = await readFeed(this.organization, 7);
    const isTold = (change: object) =>
      'lead_id' in change && !this.erased.has(String(change.lead_id));
    const details = inFeedOrder(sent).map(({ detail }) => detail);
    expect(feed.map(({ event_id }) => event_id)).toEqual(details.map(({ event_id }) => event_id));
    expect(asSent(feed).filter(isTold)).toEqual(details.filter(isTold));
    expect(feed.map(({ sequence }) => sequence)).toEqual(feed.map((_, i) => i + 1));
    const leads = [...this.leads].map(([id, lead]) => [id, contentInFeed(lead)] as const);
    const filled = [...applied(feed)].map(([id, lead]) => [id, contentInFeed(lead as Lead)]);
    expect(new Map(filled as never)).toEqual(new Map(leads));
  }

  async assertWords(): Promise<void> {
    const words = [...this.leads.values()].flatMap((lead) =>
      wordsOf(lead).map((word) => `${word} ${lead.id}`),
    );
    const items = await itemsOf(this.organization, 'WORDS');
    expect(items.map(({ sk }) => sk).sort()).toEqual(words.sort());
  }

  async assertHistory(): Promise<void> {
    for (const id of this.everMade) {
      const entries: HistoryEntry[] = await this.organization.readAll(`/leads/${id}/history`, 3);
      expect(entries.map(({ version }) => version)).toEqual(
        entries.map((_, i) => entries.length - i),
      );
      const lead = this.leads.get(id);
      const [last, erased] = [entries[0]!, this.erased.has(id)];
      const isGone = last.type === 'lead.deleted' || last.type === 'lead.erased';
      expect([isGone, last.type === 'lead.erased']).toEqual([lead === undefined, erased]);
      for (const entry of entries) expect(entry.erased ?? false).toBe(erased);
      if (erased) {
        const fields = new Set(entries.flatMap(({ changes }) => changes.map(({ field }) => field)));
        expect(['pipeline_id', 'stage', 'owner_id']).toEqual(expect.arrayContaining([...fields]));
        expect(last.changes).toEqual([]);
      } else {
        expect(last.merged_into).toBe(this.merged.get(id));
      }
      expectJoined(entries.reverse());
    }
  }
}

const hasAll = (lead: Lead, filter: Record<string, string>): boolean =>
  Object.entries(filter).every(([name, value]) => {
    if (name === 'tag') return lead.tags.includes(value);
    if (name === 'email') return lead.email?.toLowerCase() === value.toLowerCase();
    if (name === 'fields[source]') return lead.fields.source === value;
    return lead[name as keyof Lead] === value;
  });

/** Each change is of what the one before it left. What they come to is seen in the feed. */
const expectJoined = (entries: readonly HistoryEntry[]): void => {
  const state: Record<string, unknown> = { tags: [] };
  for (const { changes, type } of entries) {
    for (const { field, from, to } of changes) {
      expect(state[field] ?? null).toEqual(from);
      state[field] = to;
    }
    if (type === 'lead.deleted') expect(Object.values(state).flat().filter(Boolean)).toEqual([]);
  }
};

const pick = (leads: ReadonlyMap<string, Lead>, n: number): Lead | undefined =>
  [...leads.values()][n % Math.max(leads.size, 1)];

const sourceOf = ({ source }: Choice) => (source === null ? {} : { source });

test(`lists, histories, summaries, events and the feed are what any sequence of operations made (SEED=${seed})`, async () => {
  const pipelines = ['A', 'B', 'C'].map((name) => ({
    name,
    stages: stages.map((stage) => ({ name: stage, outcome: 'open' })),
  }));
  await fc.assert(
    fc.asyncProperty(fc.array(choice, { minLength: 15, maxLength: 30 }), async (choices) => {
      const model = new Model(await provision({ pipelines }));
      const field = { key: 'source', label: 'Source', type: 'text', filterable: true };
      await model.organization.post('/fields', field);
      const start = 1 + (await feedStart(model.organization));
      for (const c of choices) await model.run(c);
      // Of whatever is left, a list in each order has more than a page.
      await model.batch({ ...choices[0]!, email: null, owner: 0, absent: 0 });
      await model.assertLists();
      await expectFindable(model.organization);
      await model.assertWords();
      await model.assertHistory();
      await model.assertSummaries();
      await model.assertEvents(start);
    }),
    { seed, numRuns: times(1, 8), endOnFailure: quick },
  );
});
