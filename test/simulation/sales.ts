import { randomUUID } from 'node:crypto';
import type { Item } from '../../lib/table/table.ts';
import { chance, pick } from '../support/random.ts';
import {
  type Action,
  type Answer,
  assertOneAnswerEach,
  type Organization,
  type Request,
} from './organization.ts';
import { auditErased, auditSales } from './sales-audit.ts';

// Few of each, so that callers meet.
const emails = ['ana@example.com', 'Ana@example.com', 'rui@example.com'];
const phones = ['+351912345678'];
const externalIds = ['e1', 'e2'];
const stageNames = ['new', 'a', 'b', 'c', 'd'];

/** In whatever tells of a person: it may be nowhere once the lead is erased. */
const personal = 'Zaphod';

/** How often erasing is asked for: each time may do a part. */
const mostErasing = 30;

/** Callers who do this and that with the same leads. */
export class Sales {
  /** Leads that were erased: the last answer said so. */
  readonly #erased = new Set<string>();
  /** Whether one may be erased, also where no answer said so. */
  #hasErased = false;
  readonly organization: Organization;
  readonly #pipelineIds: string[] = [];
  readonly #leadIds: string[] = [];
  readonly #notes: { lead_id: string; note_id: string }[] = [];
  #hasField = false;

  constructor(organization: Organization) {
    this.organization = organization;
  }

  async begin(): Promise<void> {
    const { pipelines } = await this.organization.provision({
      pipelines: [
        { name: 'Both', stages: stagesOf(['new', 'a', 'b']), unique_contact: ['email', 'phone'] },
        { name: 'Usual', stages: stagesOf(['new', 'c']) },
      ],
    });
    this.#pipelineIds.push(...pipelines.map(({ id }) => id));
  }

  /** What they do, those that they do often more than once. */
  get actions(): Action[] {
    const seldom = [this.#createSome, this.#updateSome, this.#erase, this.#changeFields];
    const ofNotes = [this.#addNote, this.#changeNote, this.#deleteNote];
    const often = [this.#create, this.#upsert, this.#delete, this.#restore, this.#merge];
    const most = [this.#update, this.#changeStages];
    return [...seldom, ...ofNotes, ...often, ...often, ...most, ...most, ...most];
  }

  /** Throws unless what is there fits together, and is what callers were told. */
  audit(items: readonly Item[]): void {
    const { id, answers } = this.organization;
    // What told of a lead is `not_found` once the lead is erased.
    const isFree = (answer: Answer) =>
      this.#hasErased && JSON.stringify(answer).includes('"not_found"');
    assertOneAnswerEach(answers, isFree);
    auditSales(id, items);
    auditErased(this.#erased, personal, items);
  }

  get #next() {
    return this.organization.next;
  }

  #ask(operation: string, request: Request): Promise<Answer> {
    const key = chance(this.#next, 0.6) ? randomUUID() : undefined;
    return this.organization.ask(operation, { key, ...request });
  }

  async #create(): Promise<void> {
    const { body } = await this.#ask('createLead', { body: this.#newLead() });
    this.#keep(body);
  }

  async #createSome(): Promise<void> {
    const matched = chance(this.#next, 0.5);
    const leads = [0, 1, 2].map(() => ({
      ...this.#newLead(),
      ...(matched && { external_id: pick(this.#next, externalIds) }),
    }));
    const match = { match: 'external_id', move: chance(this.#next, 0.5) };
    const { body } = await this.#ask('createLeads', { body: { ...(matched && match), leads } });
    for (const { lead } of body?.items ?? []) this.#keep(lead);
  }

  async #upsert(): Promise<void> {
    const [match, values] = pick(this.#next, [
      ['external_id', externalIds],
      ['email', emails],
      ['phone', phones],
    ] as const);
    const lead = {
      ...this.#newLead(),
      // By contact, in a pipeline that has it unique.
      ...(match !== 'external_id' && { pipeline_id: this.#pipelineIds[0] }),
      [match]: pick(this.#next, values),
    };
    const { body } = await this.#ask('upsertLead', {
      body: { match, move: chance(this.#next, 0.3), lead },
    });
    this.#keep(body?.lead);
  }

  #update(): Promise<Answer> {
    const ifMatch = chance(this.#next, 0.1) ? [1] : undefined;
    const body = {
      ...this.#patch(),
      ...(chance(this.#next, 0.3) && { pipeline_id: pick(this.#next, this.#pipelineIds) }),
    };
    return this.#ask('updateLead', { path: this.#lead(), body, ifMatch });
  }

  #updateSome(): Promise<Answer> {
    const [one, other] = [this.#lead(), this.#lead()];
    const leads = [one, other, pick(this.#next, [one, other])].map(({ lead_id }) => ({
      id: lead_id,
      patch: this.#patch(),
    }));
    return this.#ask('updateLeads', { body: { leads } });
  }

  #delete = (): Promise<Answer> => this.#ask('deleteLead', { path: this.#lead() });
  #restore = (): Promise<Answer> => this.#ask('restoreLead', { path: this.#lead() });
  #merge = (): Promise<Answer> =>
    this.#ask('mergeLead', { path: this.#lead(), body: { from: this.#lead().lead_id } });

  async #erase(): Promise<void> {
    const path = this.#lead();
    this.#hasErased = true;
    for (let i = 0; i < mostErasing; i++) {
      const { status, code } = await this.organization.ask('eraseLead', { path });
      if (status === 204) this.#erased.add(path.lead_id);
      if (status === 204 || code === 'not_found') return;
    }
  }

  async #addNote(): Promise<void> {
    const path = this.#lead();
    const body = { text: `${personal} of ${path.lead_id}` };
    const answer = await this.#ask('createNote', { path, body });
    if (answer.body) this.#notes.push({ ...path, note_id: answer.body.id });
  }

  async #changeNote(): Promise<void> {
    const path = pick(this.#next, this.#notes);
    const text = `${personal} of ${path?.lead_id}, ${pick(this.#next, ['once', 'twice'])}`;
    if (path) await this.#ask('updateNote', { path, body: { text } });
  }

  async #deleteNote(): Promise<void> {
    const path = pick(this.#next, this.#notes);
    if (path) await this.#ask('deleteNote', { path });
  }

  #changeStages(): Promise<Answer> {
    const some = stageNames.filter(() => chance(this.#next, 0.8));
    const names = some.length > 0 ? some : ['new'];
    const path = { pipeline_id: pick(this.#next, this.#pipelineIds) };
    const body = { stages: stagesOf(names), default_stage: pick(this.#next, names) };
    return this.#ask('updatePipeline', { path, body });
  }

  async #changeFields(): Promise<void> {
    if (this.#hasField) {
      const label = pick(this.#next, ['Source', 'Origin']);
      await this.#ask('updateField', { path: { key: 'source' }, body: { label } });
      return;
    }
    const body = { key: 'source', label: 'Source', type: 'text', filterable: true };
    const { status, code } = await this.#ask('createField', { body });
    // One that is there already is refused.
    this.#hasField ||= status !== undefined || code === 'invalid_request';
  }

  #newLead = () => ({
    contact_name: `${personal} ${this.#leadIds.length}`,
    pipeline_id: pick(this.#next, this.#pipelineIds),
    ...this.#content(),
  });

  #patch = () => ({
    ...this.#content(),
    ...(chance(this.#next, 0.6) && { stage: pick(this.#next, stageNames) }),
  });

  /** Some fields of a lead, with a value or `null`. */
  #content() {
    const next = this.#next;
    const values = {
      email: () => pick(next, [null, ...emails]),
      phone: () => pick(next, [null, ...phones]),
      external_id: () => pick(next, [null, ...externalIds]),
      company_name: () => pick(next, [null, `${personal} Ltd`, `${personal} Inc`]),
      value_cents: () => pick(next, [null, 1, 100]),
      tags: () => pick(next, [[], ['t'], ['t', 'u']]),
      ...(this.#hasField && {
        fields: () => ({ source: pick(next, [null, 'google', 'fair']) }),
      }),
    };
    const some = Object.entries(values).filter(() => chance(next, 0.4));
    return Object.fromEntries(some.map(([name, value]) => [name, value()]));
  }

  /** One that callers know, or one that nobody has. */
  #lead = () => ({ lead_id: pick(this.#next, this.#leadIds) ?? randomUUID() });

  #keep(lead: { id: string } | undefined): void {
    if (lead && !this.#leadIds.includes(lead.id)) this.#leadIds.push(lead.id);
  }
}

const stagesOf = (names: readonly string[]) => names.map((name) => ({ name, outcome: 'open' }));
