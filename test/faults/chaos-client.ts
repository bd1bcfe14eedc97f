import type { Lead } from '../../lib/leads/lead.ts';
import { pick, type Random, random } from '../support/random.ts';
import { type Answer, isFinal, type Request } from './client.ts';
import type { Setting } from './setting.ts';

const stages = ['new', 'won', 'old'];
const tags = ['a', 'b', 'c'];
/** More would mean that the service does not come back. */
const patience = 60;

/** Does this and that in an organization, and keeps what it was told was done. */
export class ChaosClient {
  /** Leads that it made, as they were last answered. */
  readonly leads = new Map<string, Lead>();
  readonly deleted = new Set<string>();
  /** Changes of each lead of which it was told that they were made. */
  readonly changes = new Map<string, number>();
  /** Of each entry of the wallet that it caused: the stars that were spent by it. */
  readonly spent: { event_id: string; stars: number }[] = [];
  answers = 0;
  repeats = 0;
  readonly #setting: Setting;
  readonly #next: Random;
  readonly #name: string;

  constructor(setting: Setting, seed: number) {
    this.#setting = setting;
    this.#next = random(seed);
    this.#name = `client-${seed}`;
  }

  async act(isOver: () => boolean): Promise<void> {
    const actions = [this.#create, this.#create, this.#update, this.#update, this.#spend];
    actions.push(this.#batch, this.#delete, this.#upsert, this.#upsert);
    while (!isOver()) await pick(this.#next, actions).call(this);
  }

  #fields() {
    const next = this.#next;
    return {
      // Few, so that others often have it: then it is refused.
      email: pick(next, [null, null, `${Math.floor(next() * 40)}@example.com`]),
      tags: tags.filter(() => next() < 0.4),
      value_cents: pick(next, [null, Math.floor(next() * 1000)]),
    };
  }

  #newLead = () => ({
    contact_name: `${this.#name} ${this.answers}`,
    pipeline_id: this.#setting.pipelineId,
    ...this.#fields(),
  });

  async #create(): Promise<void> {
    const request = { id: 'createLead', path: '/leads', body: this.#newLead() };
    const { body } = await this.#finally(request, [201, 409]);
    if (body.id) this.#made(body);
  }

  async #batch(): Promise<void> {
    const leads = [0, 1, 2].map(this.#newLead);
    const request = { id: 'createLeads', path: '/leads/batch', body: { leads } };
    const { body } = await this.#finally(request, [200]);
    for (const { lead } of body.items) if (lead) this.#made(lead);
  }

  /** Of a few leads of its own: it knows which of them are there. */
  async #upsert(): Promise<void> {
    const external_id = `${this.#name}-${Math.floor(this.#next() * 4)}`;
    const before = [...this.leads.values()].find((lead) => lead.external_id === external_id);
    const body = { match: 'external_id', lead: { ...this.#newLead(), external_id } };
    const request = { id: 'upsertLead', path: '/leads/upsert', body };
    const { body: answer } = await this.#finally(request, [200, 201, 409]);
    const { outcome, lead } = answer;
    if (!lead) return;
    const made = outcome === 'created';
    if (made === Boolean(before) || (before && before.id !== lead.id)) {
      throw new Error(`${external_id} is ${outcome}: ${JSON.stringify({ before, lead })}`);
    }
    this.leads.set(lead.id, lead);
    if (outcome !== 'unchanged') this.#count(lead.id);
  }

  async #update(): Promise<void> {
    const before = this.#any();
    if (!before) return;
    const body = { ...this.#fields(), stage: pick(this.#next, stages) };
    const request = { id: 'updateLead', path: `/leads/${before.id}`, body };
    const { status, body: after } = await this.#finally(request, [200, 409]);
    if (status !== 200) return;
    this.leads.set(before.id, after);
    // One that changes nothing has no entry.
    const same = (lead: Lead) => JSON.stringify({ ...lead, updated_at: '' });
    if (same(before) !== same(after)) this.#count(before.id);
  }

  async #delete(): Promise<void> {
    const lead = this.#any();
    if (!lead) return;
    await this.#finally({ id: 'deleteLead', path: `/leads/${lead.id}` }, [204]);
    this.leads.delete(lead.id);
    this.deleted.add(lead.id);
    this.#count(lead.id);
  }

  async #spend(): Promise<void> {
    const stars = 1 + Math.floor(this.#next() * 2);
    const event_id = `${this.#name}-${this.answers}`;
    const request = { id: 'putSpend', path: `/billing/spends/${event_id}`, body: { stars } };
    const { status } = await this.#finally(request, [200, 201, 402]);
    if (status !== 402) this.spent.push({ event_id, stars });
  }

  #any(): Lead | undefined {
    return pick(this.#next, [...this.leads.values()]);
  }

  #made(lead: Lead): void {
    this.leads.set(lead.id, lead);
    this.#count(lead.id);
  }

  #count(id: string): void {
    this.changes.set(id, (this.changes.get(id) ?? 0) + 1);
  }

  async #finally(request: Request, expected: readonly number[]): Promise<Answer> {
    const tries = await this.#setting.client.insist(request, { most: patience });
    const answer = tries.at(-1)!;
    this.answers++;
    this.repeats += tries.length - 1;
    const refused = answer.code === undefined || answer.code === 'duplicate_lead';
    if (!isFinal(answer) || !expected.includes(answer.status) || !refused) {
      throw new Error(`${request.id}: ${JSON.stringify(answer)}`);
    }
    return answer;
  }
}
