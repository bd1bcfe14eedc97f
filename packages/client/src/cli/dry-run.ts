import { type Outcome, type Settled, settleAll } from './amend.ts';
import { type Batch, batchesOf, claimOf } from './batches.ts';
import type { Connection } from './connection.ts';
import type { Lead } from './fields.ts';
import { doneOf, type From, insist, type Matching, outcomeOf } from './import.ts';
import type { Done, Refused } from './journal.ts';
import type { Progress } from './progress.ts';

/** The foretold result of a batch, and of each of its rows. */
export interface Foretold extends Done {
  rows: JudgedRow[];
}

export interface JudgedRow {
  line: number;
  /** `known` is refused since a lead is there that has what is unique of it. */
  outcome: 'created' | 'updated' | 'unchanged' | 'known' | 'refused';
  /** The name of the lead, or else its email or external id. */
  name: string;
}

/**
 * Foretells the result of each batch. The service looks at each row by itself; rows that want the same value are found
 * here.
 */
export const dryRun = async (
  connection: Connection,
  { file, leadFile, toLead }: From,
  matching: Matching,
  progress: Progress,
): Promise<Foretold[]> => {
  const claims = new Claims(await uniqueContacts(connection));
  const all: Foretold[] = [];
  for await (const batch of batchesOf(file, leadFile, toLead, matching.match)) {
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
): JudgedRow[] => {
  const lines = new Set(refused.map(({ line }) => line));
  const sent = settled.map(({ sent: { line, lead }, outcome }, i): JudgedRow => {
    const { contact_name, email, external_id } = lead;
    const name = String(contact_name ?? email ?? external_id ?? '');
    if (!lines.has(line)) return { line, outcome: outcomeOf(claimed[i]!.outcome), name };
    const isKnown = outcome.error?.code === 'duplicate_lead';
    return { line, outcome: isKnown ? 'known' : 'refused', name };
  });
  const unsent = batch.refused.map(
    ({ line }): JudgedRow => ({ line, outcome: 'refused', name: '' }),
  );
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

/** The values that earlier rows have taken, which no other lead can have. */
class Claims {
  readonly #unique: ReadonlyMap<string, readonly string[]>;
  /** The line of the row whose lead has what is taken. */
  readonly #lines = new Map<string, number>();

  constructor(unique: ReadonlyMap<string, readonly string[]>) {
    this.#unique = unique;
  }

  /** Rows that are sent again come after all others of their batch. */
  settle(settled: readonly Settled[]): Settled[] {
    const after = new Map<Settled, Settled>();
    for (const one of [...settled].sort((a, b) => a.round - b.round)) {
      const refused = one.outcome.error ? undefined : this.#take(one.sent.line, one.sent.lead);
      if (!refused) continue;
      const details = [{ path: refused.field, message: refused.message }];
      const error = { code: refused.code, message: '', details };
      after.set(one, { ...one, outcome: { status: 409, error } });
    }
    return settled.map((one) => after.get(one) ?? one);
  }

  #take(line: number, lead: Lead): Refused | undefined {
    const wanted = this.#claimsOf(lead);
    for (const { field, claim } of wanted) {
      const other = this.#lines.get(claim);
      if (other !== undefined) {
        const message = `is the ${field} of line ${other}`;
        return { line, code: 'duplicate_lead', field, message };
      }
    }
    for (const { claim } of wanted) this.#lines.set(claim, line);
    return undefined;
  }

  #claimsOf(lead: Lead): { field: string; claim: string }[] {
    const pipeline = String(lead.pipeline_id ?? '').toLowerCase();
    const fields = ['external_id', ...(this.#unique.get(pipeline) ?? [])];
    return fields.flatMap((field) => {
      const value = lead[field as keyof Lead];
      if (typeof value !== 'string') return [];
      return [{ field, claim: claimOf(field, value, lead) }];
    });
  }
}
