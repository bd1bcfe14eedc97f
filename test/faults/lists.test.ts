import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Lead } from '../../lib/leads/lead.ts';
import type { Filters } from '../../lib/leads/lists/terms/filters.ts';
import { type Sort, sorts } from '../../lib/leads/lists/terms/orders.ts';
import type { ReplicaLag } from '../support/faults/replica-lag.ts';
import type { Fault, Plan } from '../support/faults/watched-requests.ts';
import {
  compareIn,
  filtersByChance,
  listOf,
  matches,
  placeOf,
  queryOf,
} from '../support/list-model.ts';
import { sentOrderValues } from '../support/order-values.ts';
import { chance, pick, random, seed } from '../support/random.ts';
import { times } from '../support/some.ts';
import type { Client, Request } from './client.ts';
import { LaggingService } from './lagging-service.ts';
import type { Setting, Settings } from './setting.ts';

// Lists in every order while leads change between pages, indexes lag, and requests to the table fail, against a model.

let lagging: LaggingService;
let store: ReplicaLag;
let settings: Settings;

beforeAll(async () => {
  lagging = await LaggingService.start();
  ({ store, settings } = lagging);
});

afterAll(() => lagging?.close());

const next = random(seed);
const outcomes = { new: 'open', won: 'won', lost: 'lost', 'not now': 'lost' } as const;
type StageName = keyof typeof outcomes;
const outcomeOf = ({ stage }: Lead) => outcomes[stage as StageName];
const stages = Object.keys(outcomes) as StageName[];
const tags = ['a', 'b'];

const faults: Fault[] = ['request lost', 'reply lost', 'server error', 'conflict', 'unprocessed'];
/** One request in ten fails. */
const unluckily: Plan = {
  name: 'by chance',
  strike: () => (chance(next, 0.1) ? pick(next, faults) : undefined),
  lasting: true,
};

class World {
  readonly setting: Setting;
  readonly client: Client;
  readonly pipelines: string[];
  readonly leads = new Map<string, Lead>();
  /** What lists may show: each state since the indexes were last up to date. Undefined where there was no lead. */
  states = new Map<string, (Lead | undefined)[]>();
  #isHeld = false;

  constructor(setting: Setting, pipelines: string[]) {
    this.setting = setting;
    this.client = setting.client;
    this.pipelines = pipelines;
  }

  async ask(request: Request): Promise<{ status: number; body: Lead }> {
    return (await this.client.insist(request, { most: 30 })).at(-1)!;
  }

  keep(id: string, lead: Lead | undefined): void {
    if (lead) this.leads.set(id, lead);
    else this.leads.delete(id);
    this.states.set(id, [...(this.states.get(id) ?? [undefined]), lead]);
  }

  /** From now on, lists show nothing older than this; with a lag, nothing older than when it began. */
  forget(): void {
    if (!this.#isHeld) this.states = new Map([...this.leads].map(([id, lead]) => [id, [lead]]));
  }

  async lag(): Promise<void> {
    if (this.#isHeld) await store.release();
    else store.hold();
    this.#isHeld = !this.#isHeld;
  }

  async catchUp(): Promise<void> {
    if (this.#isHeld) await this.lag();
  }

  fields(): object {
    const all = {
      pipeline_id: pick(next, this.pipelines),
      owner_id: pick(next, [null, ...this.owners]),
      ...sentOrderValues(next),
      tags: tags.filter(() => chance(next, 0.4)),
    };
    return Object.fromEntries(Object.entries(all).filter(() => chance(next, 0.6)));
  }

  get owners(): string[] {
    return [this.setting.users.owner, this.setting.users.viewer];
  }

  async change(): Promise<void> {
    const lead = pick(next, [...this.leads.values()]);
    const what =
      this.leads.size < 12
        ? 'create'
        : pick(next, ['create', 'patch', 'patch', 'patch', 'move', 'delete', 'restore', 'merge']);
    const path = `/leads/${lead?.id}`;
    if (what === 'create') {
      const body = {
        contact_name: 'Ana',
        pipeline_id: pick(next, this.pipelines),
        ...this.fields(),
      };
      const made = await this.ask({ id: 'createLead', path: '/leads', body });
      this.keep(made.body.id, made.body);
    } else if (what === 'patch' || what === 'move') {
      const body = what === 'move' ? { stage: pick(next, stages) } : this.fields();
      const changed = await this.ask({ id: 'updateLead', path, body });
      this.keep(lead.id, changed.body);
    } else if (what === 'delete' || what === 'restore') {
      await this.ask({ id: 'deleteLead', path });
      this.keep(lead.id, undefined);
      if (what === 'delete') return;
      const back = await this.ask({ id: 'restoreLead', path: `${path}/restore` });
      expect(back.body).toEqual({ ...lead, updated_at: back.body.updated_at });
      this.keep(lead.id, back.body);
    } else {
      const other = pick(next, [...this.leads.values()]);
      if (other.id === lead.id) return;
      const body = { from: other.id };
      const merged = await this.ask({ id: 'mergeLead', path: `${path}/merge`, body });
      expect(merged.status).toBe(200);
      this.keep(other.id, undefined);
      this.keep(lead.id, merged.body);
    }
  }

  async page(query: string, cursor: string | null) {
    const path = `/leads?${query}${cursor ? `&cursor=${cursor}` : ''}`;
    const answer = (await this.client.insist({ id: 'listLeads', path }, { most: 30 })).at(-1)!;
    expect([query, answer.code]).toEqual([query, undefined]);
    return answer.body as { items: Lead[]; next_cursor: string | null };
  }

  /** All pages of a list; `between` comes after each. */
  async list(filters: Filters, sort: Sort, limit: number, between: () => Promise<void>) {
    const found: Lead[] = [];
    let cursor: string | null = null;
    do {
      const page = await this.page(`limit=${limit}&${queryOf(filters, sort)}`, cursor);
      found.push(...page.items);
      cursor = page.next_cursor;
      await between();
    } while (cursor !== null);
    return found;
  }

  /** Filters for a list in this order, which is refused of leads without what they are sorted by. */
  filters(sort: Sort): Filters {
    const { pipelines, owners } = this;
    const all = [...this.leads.values()];
    const filters: Filters = filtersByChance(next, all, { pipelines, owners, stages, tags });
    const field = sort.replace('-', '') as keyof Filters;
    if (filters[field] === null) delete filters[field];
    return filters;
  }
}

const makeWorld = async (): Promise<World> => {
  const setting = await settings.make();
  const pipelines: string[] = [];
  for (const name of ['A', 'B', 'C']) {
    const all = stages.map((one) => ({ name: one, outcome: outcomes[one] }));
    const body = { name, stages: all, unique_contact: [] };
    const request = { id: 'createPipeline', path: '/pipelines', body };
    pipelines.push((await setting.client.insist(request)).at(-1)!.body.id);
  }
  const { leadId } = setting;
  await setting.client.insist({ id: 'deleteLead', path: `/leads/${leadId}` });
  return new World(setting, pipelines);
};

/** What was listed while leads changed: only what was so, in order, and all that stayed where it was. */
const expectHonest = ({ states }: World, found: Lead[], filters: Filters, sort: Sort): void => {
  const isListed = (lead: Lead | undefined): boolean =>
    lead !== undefined && placeOf(lead, sort) !== undefined && matches(lead, filters, outcomeOf);
  for (const lead of found) expect(states.get(lead.id)?.filter(isListed)).toContainEqual(lead);
  const isByCreation = sort.endsWith('created_at');
  const placesOf = (id: string) =>
    new Set(states.get(id)!.map((lead) => lead && placeOf(lead, sort)?.join()));
  expect(found).toEqual(found.toSorted(compareIn(sort)));
  const ids = found.map(({ id }) => id);
  for (const [id, all] of states) {
    const listed = ids.filter((one) => one === id).length;
    const stayed = isByCreation || placesOf(id).size === 1;
    if (stayed) expect(listed).toBeLessThanOrEqual(1);
    if (stayed && all.every(isListed))
      expect([sort, filters, id, listed]).toEqual([sort, filters, id, 1]);
  }
};

test(`lists in every order show what was so, while leads change, indexes lag and requests fail (SEED=${seed})`, async () => {
  for (let run = 0; run < times(1, 8); run++) {
    const world = await makeWorld();
    world.setting.watched.plan(unluckily);
    for (let i = 0; i < 20; i++) await world.change();
    // Goes on until an index has lagged behind what is read of it.
    for (let i = 0; i < times(12, 60) || (store.staleReads === 0 && i < 500); i++) {
      const sort = pick(next, sorts);
      const filters = world.filters(sort);
      world.forget();
      const found = await world.list(filters, sort, pick(next, [2, 3, 7]), async () => {
        if (chance(next, 0.3)) await world.lag();
        if (chance(next, 0.6)) await world.change();
      });
      expectHonest(world, found, filters, sort);
    }
    await world.catchUp();
    for (const sort of sorts) {
      for (const filters of [{ tags: [] }, { tags: ['a'] }, world.filters(sort)]) {
        const found = await world.list(filters, sort, 10, async () => {});
        expect([sort, filters, found]).toEqual([
          sort,
          filters,
          listOf(world.leads.values(), filters, sort, outcomeOf),
        ]);
      }
    }
    settings.end(world.setting);
  }
  expect(store.staleReads).toBeGreaterThan(0);
});
