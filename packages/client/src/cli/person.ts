import type { Change, ChangeType } from '../changes.ts';
import type { Client } from '../client.ts';
import { ApiError } from '../errors.ts';
import { wait } from '../retry.ts';
import { CliError } from './cli-error.ts';
import { assertId, Connection, type Where } from './connection.ts';
import { isPipe } from './input.ts';
import { changesOf, pagesOf } from './lists.ts';
import { assertFree, writeText } from './output.ts';
import { printable } from './terminal-text.ts';

/** Changes that tell of a person: of all types of leads and notes, of which none can be forgotten here. */
const told: Record<Extract<ChangeType, `${'lead' | 'note'}.${string}`>, true> = {
  'lead.created': true,
  'lead.updated': true,
  'lead.deleted': true,
  'lead.restored': true,
  'lead.merged': true,
  'lead.erased': true,
  'note.created': true,
  'note.updated': true,
  'note.deleted': true,
};
const types = Object.keys(told) as (keyof typeof told)[];

/** How long the feed is asked for a change that a history has already, in milliseconds. */
const feedFollowsWithin = 60_000;

/** Writes what is known of a person, and says how much. Throws `CliError` and `ApiError`. */
export const runPerson = async (
  leadId: string,
  name: string | undefined,
  { force, ...where }: Where & { force?: boolean },
): Promise<void> => {
  const connection = new Connection(where);
  assertId('The lead', leadId);
  const file = name === '-' ? undefined : name;
  assertFree(file, force);
  const person = new Person(connection, await connection.organization(), leadId.toLowerCase());
  await person.assertThere();
  const shown = file === undefined && process.stdout.isTTY ? printable : (text: string) => text;
  async function* texts() {
    for await (const text of person.texts()) yield shown(text);
  }
  await writeText(file, texts, force);
  if (file !== undefined && !isPipe(file)) console.log(person.summary());
  for (const what of person.missing) console.error(printable(what));
};

/** All that is known of a person: the lead, those that were merged with it, their histories, notes and changes. */
class Person {
  readonly missing: string[] = [];
  readonly #connection: Connection;
  readonly #organization: string;
  readonly #leadId: string;
  /** The last version of each lead that is the person. */
  readonly #versions = new Map<string, number>();
  /** Notes whose changes the feed has to have. */
  readonly #notes = new Set<string>();
  #noteCount = 0;
  #changeCount = 0;

  constructor(connection: Connection, organization: string, leadId: string) {
    this.#connection = connection;
    this.#organization = organization;
    this.#leadId = leadId;
  }

  async assertThere(): Promise<void> {
    const path = { lead_id: this.#leadId };
    const read = (client: Client) =>
      client.get('/leads/{lead_id}/history', { path, query: { limit: 1 } });
    const found = await ifFound(this.#connection.send(read));
    if (!found) throw new CliError(`There never was a lead ${this.#leadId} in this organization.`);
  }

  summary(): string {
    return `Leads that are this person: ${this.#versions.size}, notes: ${this.#noteCount}, changes: ${this.#changeCount}`;
  }

  /** The file, piece by piece: histories and the feed can be long. */
  async *texts(): AsyncGenerator<string> {
    const head = {
      lead_id: this.#leadId,
      organization_id: this.#organization,
      written_at: new Date().toISOString(),
    };
    yield `${JSON.stringify(head).slice(0, -1)},\n"leads": [`;
    const open = [this.#leadId];
    for (let i = 0; i < open.length; i++) {
      yield i === 0 ? '\n' : ',\n';
      for await (const text of this.#lead(open[i]!, open)) yield text;
    }
    yield '\n],\n"changes": [';
    for await (const change of this.#changes()) {
      yield `${this.#changeCount++ === 0 ? '\n' : ',\n'}${JSON.stringify(change)}`;
    }
    yield `\n],\n"missing": ${JSON.stringify(this.missing)}}\n`;
  }

  /** One lead; to `open` those are added that were merged with it. */
  async *#lead(leadId: string, open: string[]): AsyncGenerator<string> {
    const path = { lead_id: leadId };
    const found = await ifFound(
      this.#connection.send((client) => client.get('/leads/{lead_id}', { path })),
    );
    const lead = JSON.stringify(found?.data ?? null);
    yield `{"lead_id": ${JSON.stringify(leadId)}, "lead": ${lead},\n"history": [`;
    this.#versions.set(leadId, 0);
    const history = pagesOf(this.#connection, (client, query) =>
      client.get('/leads/{lead_id}/history', { path, query }),
    );
    for await (const [text, entry] of separated(history)) {
      const { version, merged_from, merged_into } = entry;
      this.#versions.set(leadId, Math.max(version, this.#versions.get(leadId) ?? 0));
      for (const other of [merged_from, merged_into]) {
        if (other !== undefined && !open.includes(other)) open.push(other);
      }
      yield text;
    }
    yield '\n],\n"notes": [';
    const notes = pagesOf(this.#connection, (client, query) =>
      client.get('/leads/{lead_id}/notes', { path, query }),
    );
    for await (const [text, note] of separated(notes)) {
      this.#noteCount++;
      this.#notes.add(note.id);
      yield text;
    }
    yield '\n]}';
  }

  /**
   * The feed's changes about the person, up to all that the histories have. Only the feed has earlier and deleted texts
   * of notes.
   */
  async *#changes(): AsyncGenerator<Change> {
    const until = Date.now() + feedFollowsWithin;
    try {
      for (let after = 0; ; ) {
        for await (const change of changesOf(this.#connection, { after, types })) {
          after = change.sequence;
          if (this.#isOwn(change)) yield change;
        }
        if (this.#notes.size === 0 && [...this.#versions.values()].every((left) => left === 0))
          return;
        if (Date.now() > until) break;
        await wait(500);
      }
      this.missing.push('The feed does not have the last changes yet: write the file again.');
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'forbidden') throw error;
      this.missing.push(
        'Earlier texts of notes, and those of deleted notes, are missing: they are in the feed, which owners, admins and support may read (changes:read).',
      );
    }
  }

  /** Whether a change is of the person; then nobody has to wait for it any more. */
  #isOwn(change: Change): boolean {
    if (!('lead_id' in change)) return false;
    const last = this.#versions.get(change.lead_id);
    if (last === undefined) return false;
    if ('note_id' in change) this.#notes.delete(change.note_id);
    else if (change.version >= last) this.#versions.set(change.lead_id, 0);
    return true;
  }
}

const ifFound = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return undefined;
    throw error;
  }
};

/** Items of a list in JSON, each with the sign before it. */
async function* separated<T>(pages: AsyncIterable<T[]>): AsyncGenerator<[string, T]> {
  let before = '\n';
  for await (const page of pages) {
    for (const item of page) {
      yield [`${before}${JSON.stringify(item)}`, item];
      before = ',\n';
    }
  }
}
