import { type Outcome, type Settled, settleAll } from './amend.ts';
import { type Batch, batchesOf } from './batches.ts';
import type { Connection } from './connection.ts';
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
    const done = doneOf(batch, claims.settle(settled));
    all.push({ ...done, rows: rowsOf(batch, settled, done) });
    progress.add(batch.rows);
  }
  return all;
};

const rowsOf = (batch: Batch, settled: readonly Settled[], { refused }: Done): Row[] => {
  const lines = new Set(refused.map(({ line }) => line));
  const sent = settled.map(({ sent: { line, lead }, outcome }): Row => {
    const { contact_name, email, external_id } = lead;
    const name = String(contact_name ?? email ?? external_id ?? '');
    if (!lines.has(line)) return { line, outcome: outcomeOf(outcome), name };
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

/** What the rows before have taken: another lead can’t have it too. */
class Claims {
  readonly #matching: Matching;
  readonly #unique: ReadonlyMap<string, readonly string[]>;
  /** The lead that has what is taken. */
  readonly #holders = new Map<string, { identity: string; line: number }>();
  /** What each lead has taken, by its field. */
  readonly #taken = new Map<string, string>();

  constructor(matching: Matching, unique: ReadonlyMap<string, readonly string[]>) {
    this.#matching = matching;
    this.#unique = unique;
  }

  /** Rows that are sent again come after all others of their batch. */
  settle(settled: readonly Settled[]): Settled[] {
    const after = new Map<Settled, Settled>();
    for (const one of [...settled].sort((a, b) => a.round - b.round)) {
      const { sent, outcome } = one;
      const refused = outcome.error ? undefined : this.#take(sent.line, sent.lead);
      if (!refused) continue;
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

const keyOf = (field: string, value: unknown): string =>
  `${field} ${field === 'email' ? String(value).toLowerCase() : value}`;
