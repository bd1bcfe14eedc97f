import { type Batch, batchesOf } from './batches.ts';
import type { Lead } from './columns.ts';
import type { Connection } from './connection.ts';
import { doneOf, type From, insist, type Matching, type Outcome } from './import.ts';
import type { Done, Refused } from './journal.ts';
import type { Progress } from './progress.ts';

/** What would become of each batch. The service looks at each row by itself; what rows share, this does. */
export const dryRun = async (
  connection: Connection,
  { file, leadFile, toLead }: From,
  matching: Matching,
  progress: Progress,
): Promise<Done[]> => {
  const claims = new Claims(matching, await uniqueContacts(connection));
  const all: Done[] = [];
  for await (const batch of batchesOf(file, leadFile, toLead)) {
    all.push(claims.settle(batch, await ask(connection, batch, matching)));
    progress.add(batch.rows);
  }
  return all;
};

const ask = async (
  connection: Connection,
  { leads }: Batch,
  matching: Matching,
): Promise<Outcome[]> => {
  if (leads.length === 0) return [];
  const body = { ...matching, dry_run: true, leads: leads.map(({ lead }) => lead) } as never;
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

  settle(batch: Batch, items: Outcome[]): Done {
    const outcomes = items.map((item, i) => {
      if (item.error) return item;
      const { line, lead } = batch.leads[i]!;
      const refused = this.#take(line, lead);
      if (!refused) return item;
      const details = [{ path: refused.field, message: refused.message }];
      return { status: 409, error: { code: refused.code, message: '', details } };
    });
    return doneOf(batch, outcomes);
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
