import { type Outcome, type Settled, settleAll } from './amend.ts';
import { type Batch, batchesOf } from './batches.ts';
import type { Connection } from './connection.ts';
import { columnOf } from './custom-fields.ts';
import type { Lead } from './fields.ts';
import { doneOf, type From, insist, type Matching, outcomeOf } from './import.ts';
import type { Done, Refused } from './journal.ts';
import type { Progress } from './progress.ts';

/** What would become of a batch, and of each of its rows. */
export interface Foretold extends Done {
  rows: Row[];
}

export interface Row {
  line: number;
  /** `known` is refused since a lead is there that has what is unique of it. */
  outcome: 'created' | 'updated' | 'unchanged' | 'known' | 'refused';
  /** What the lead is called, or else its email or external id. */
  name: string;
}

/** What would become of each batch. The service looks at each row by itself; what rows share, this does. */
export const dryRun = async (
  connection: Connection,
  { file, leadFile, toLead }: From,
  matching: Matching,
  progress: Progress,
): Promise<Foretold[]> => {
  const claims = new Claims(matching, await uniqueContacts(connection));
  const all: Foretold[] = [];
  for await (const batch of batchesOf(file, leadFile, toLead)) {
    const settled = await settleAll(batch.leads, matching.match, (leads) =>
      ask(connection, leads, matching),
    );
    const claimed = claims.settle(settled);
    const done = doneOf(batch, claimed);
    all.push({ ...done, rows: rowsOf(batch, settled, claimed, done) });
    progress.add(batch.rows);
  }
  return all;
};

const rowsOf = (
  batch: Batch,
  settled: readonly Settled[],
  claimed: readonly Settled[],
  { refused }: Done,
): Row[] => {
  const lines = new Set(refused.map(({ line }) => line));
  const sent = settled.map(({ sent: { line, lead }, outcome }, i): Row => {
    const { contact_name, email, external_id } = lead;
    const name = String(contact_name ?? email ?? external_id ?? '');
    if (!lines.has(line)) return { line, outcome: outcomeOf(claimed[i]!.outcome), name };
    const isKnown = outcome.error?.code === 'duplicate_lead';
    return { line, outcome: isKnown ? 'known' : 'refused', name };
  });
  const unsent = batch.refused.map(({ line }): Row => ({ line, outcome: 'refused', name: '' }));
  return [...sent, ...unsent].sort((a, b) => a.line - b.line);
};

const ask = (connection: Connection, leads: Lead[], matching: Matching): Promise<Outcome[]> => {
  const body = { ...matching, dry_run: true, leads } as never;
  return insist(async () => {
    const { data } = await connection.send((client) => client.post('/leads/batch', { body }));
    return data.items as Outcome[];
  });
};

/** The unique contacts by the id of each pipeline. */
const uniqueContacts = async (connection: Connection): Promise<Map<string, readonly string[]>> => {
  const { data } = await connection.send((client) => client.get('/pipelines'));
  return new Map(data.items.map(({ id, unique_contact }) => [id, unique_contact]));
};

/** What the rows before have taken, which no other lead can have, and what they have given the leads that they match. */
class Claims {
  readonly #matching: Matching;
  readonly #unique: ReadonlyMap<string, readonly string[]>;
  /** The lead that has what is taken. */
  readonly #holders = new Map<string, { identity: string; line: number }>();
  /** What each lead has taken, by its field. */
  readonly #taken = new Map<string, string>();
  /** What rows before have given leads that are matched, by the field. */
  readonly #given = new Map<string, Map<string, string>>();

  constructor(matching: Matching, unique: ReadonlyMap<string, readonly string[]>) {
    this.#matching = matching;
    this.#unique = unique;
  }

  /** Rows that are sent again come after all others of their batch. */
  settle(settled: readonly Settled[]): Settled[] {
    const after = new Map<Settled, Settled>();
    for (const one of [...settled].sort((a, b) => a.round - b.round)) {
      const { sent, outcome } = one;
      if (outcome.error) continue;
      const refused = this.#take(sent.line, sent.lead);
      if (!refused) {
        after.set(one, { ...one, outcome: this.#outcomeOf(one) });
        continue;
      }
      const details = [{ path: refused.field, message: refused.message }];
      const error = { code: refused.code, message: '', details };
      after.set(one, { ...one, outcome: { status: 409, error } });
    }
    return settled.map((one) => after.get(one) ?? one);
  }

  #take(line: number, lead: Lead): Refused | undefined {
    const { match } = this.#matching;
    const identity = match ? scoped(match, lead[match], lead) : `line ${line}`;
    const wanted = this.#claimsOf(lead);
    for (const { field, claim } of wanted) {
      const holder = this.#holders.get(claim);
      if (holder && holder.identity !== identity) {
        const message = `is the ${field} of line ${holder.line}`;
        return { line, code: 'duplicate_lead', field, message };
      }
    }
    for (const { field, claim } of wanted) {
      const slot = `${identity} ${field}`;
      const before = this.#taken.get(slot);
      if (before !== undefined && before !== claim) this.#holders.delete(before);
      this.#taken.set(slot, claim);
      this.#holders.set(claim, { identity, line });
    }
    return undefined;
  }

  /** The service knows the lead as it is stored: rows before may have made it, or changed it. */
  #outcomeOf({ sent: { lead, name }, outcome, round }: Settled): Outcome {
    const { match } = this.#matching;
    if (!match) return outcome;
    const identity = scoped(match, lead[match], lead);
    const before = this.#given.get(identity);
    const values = valuesOf(lead);
    // Only a new lead is called so.
    if (before && round > 0 && lead.contact_name === name) values.delete('contact_name');
    this.#given.set(identity, new Map([...(before ?? []), ...values]));
    if (!before) return outcome;
    const isAsGiven = [...values].every(([field, value]) => before.get(field) === value);
    const isAsStored =
      outcome.outcome === 'unchanged' &&
      [...values].every(([field, value]) => (before.get(field) ?? value) === value);
    return { status: 200, outcome: isAsGiven || isAsStored ? 'unchanged' : 'updated' };
  }

  #claimsOf(lead: Lead): { field: string; claim: string }[] {
    const pipeline = pipelineOf(lead);
    const fields = ['external_id', ...(this.#unique.get(pipeline) ?? [])] as const;
    return fields.flatMap((field) => {
      const value = lead[field as keyof Lead];
      if (typeof value !== 'string') return [];
      return [{ field, claim: scoped(field, value, lead) }];
    });
  }
}

const pipelineOf = ({ pipeline_id: id }: Lead): string => String(id ?? '').toLowerCase();

/** A contact is of one lead in its pipeline, an external id in the organization. */
const scoped = (field: string, value: unknown, lead: Lead): string =>
  `${field === 'external_id' ? '' : pipelineOf(lead)} ${keyOf(field, value)}`;

/** What a row gives a lead, by the field, each custom one by itself. */
const valuesOf = ({ fields = {}, ...lead }: Lead): Map<string, string> => {
  const custom = Object.entries(fields as object).map(([key, value]) => [columnOf(key), value]);
  return new Map(
    [...Object.entries(lead), ...custom].map(([field, value]) => [field, JSON.stringify(value)]),
  );
};

const keyOf = (field: string, value: unknown): string =>
  `${field} ${field === 'email' ? String(value).toLowerCase() : value}`;
