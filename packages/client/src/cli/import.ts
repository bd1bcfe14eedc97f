import { type Batch, batchesOf, valuesOf } from './batches.ts';
import { CliError } from './cli-error.ts';
import type { ToLead } from './columns.ts';
import type { Connection, Watch } from './connection.ts';
import type { Counts, Done, Journal, Refused } from './journal.ts';
import type { Progress } from './progress.ts';
import type { LeadFile } from './rows.ts';

/** How rows find the leads that they mean. */
export interface Matching {
  match?: 'external_id' | 'email' | 'phone';
  move?: boolean;
}

/** Batches that are under way at once. */
const atOnce = 4;
/** Values that are remembered, which takes about 500 MB. With more, batches are sent one by one. */
const mostValues = 5_000_000;
/** How often a batch is sent again while some of its leads have an error that passes by itself. */
const mostTries = 20;

/** An outcome of a batch, as the API answers it. */
export interface Outcome {
  status: number;
  outcome?: keyof Counts;
  error?: { code: string; message: string; details?: { path: string; message: string }[] };
}

/** With `forbidden`, its sender lost the role meanwhile: the repeat is refused as a whole, or goes on. */
const passing = ['write_conflict', 'unavailable', 'timeout', 'rate_limited', 'forbidden'];

/** Whether an answer may be another one soon. What the service fails at for good is told as refused. */
const isOpen = (code: string, tries: number): boolean =>
  passing.includes(code) || (code === 'internal' && tries < mostTries);

const notNow = (code: string): string =>
  `The service could not take some rows for now (${code}). Nothing is lost: start the import again, and it goes on.`;

/** A file, and how its rows are read. */
export interface From {
  file: string;
  leadFile: LeadFile;
  toLead: ToLead;
}

/** Rejects where an import would be refused as a whole, as with a wrong organization. Nothing is stored by that. */
export const assertTaken = async (connection: Connection): Promise<void> => {
  const body = { dry_run: true, leads: [{}] } as never;
  await connection.send((client) => client.post('/leads/batch', { body }));
};

/** The user who sends the requests: idempotency keys are a user's own. */
export const userOf = (connection: Connection): Promise<string> =>
  connection.send(async (client) => (await client.get('/me')).data.user_id);

/**
 * Sends every batch that has not been answered yet. Rejects where the service refuses one as a whole. If nothing
 * can have been stored then, the journal is removed, so that the import can begin with other options.
 */
export const importAll = async (
  connection: Connection,
  from: From,
  matching: Matching,
  journal: Journal,
  progress: Progress,
): Promise<void> => {
  const underWay = new Set<Promise<void>>();
  try {
    await sendAll(connection, from, matching, journal, progress, underWay);
  } catch (error) {
    await Promise.allSettled(underWay);
    if (!journal.mayHaveStored) journal.remove();
    throw error;
  }
};

const sendAll = async (
  connection: Connection,
  { file, leadFile, toLead }: From,
  matching: Matching,
  journal: Journal,
  progress: Progress,
  underWay: Set<Promise<void>>,
): Promise<void> => {
  const seen = new Set<string>();
  for await (const batch of batchesOf(file, leadFile, toLead)) {
    // A batch that repeats a value waits for all before it: one may have what it wants, and another one free that.
    const most = repeatsValue(batch, seen) ? 1 : atOnce;
    if (journal.done.has(batch.batch)) continue;
    while (underWay.size >= most) await Promise.race(underWay);
    const sending = sendBatch(connection, batch, matching, journal).then((rows) => {
      underWay.delete(sending);
      progress.add(rows);
    });
    // Whoever waits for it next hears of it.
    sending.catch(() => {});
    underWay.add(sending);
  }
  await Promise.all(underWay);
};

/** Whether a batch has a value of one before it. Where that is not known any more, it may. */
export const repeatsValue = (batch: Batch, seen: Set<string>, most = mostValues): boolean => {
  if (seen.size >= most) return true;
  const values = valuesOf(batch);
  const repeats = values.some((value) => seen.has(value));
  for (const value of values) seen.add(value);
  return repeats;
};

const sendBatch = async (
  connection: Connection,
  batch: Batch,
  matching: Matching,
  journal: Journal,
): Promise<number> => {
  journal.sending(batch.batch);
  const items =
    batch.leads.length === 0 ? [] : await outcomesOf(connection, batch, matching, journal);
  journal.noteOutcomes(doneOf(batch, items));
  return batch.rows;
};

const outcomesOf = (
  connection: Connection,
  { batch, leads }: Batch,
  matching: Matching,
  journal: Journal,
): Promise<Outcome[]> => {
  const body = { ...matching, leads: leads.map(({ lead }) => lead) } as never;
  const idempotencyKey = journal.keyOf(batch);
  const watch: Watch = {
    // A machine can sleep for a day between two attempts.
    before: () => journal.assertRepeatable(batch),
    after: (outcome) => {
      journal.mayHaveStored ||= !storedNothing(outcome);
    },
  };
  return insist(async () => {
    const { data } = await connection.send(
      (client) => client.post('/leads/batch', { body, idempotencyKey }),
      watch,
    );
    return data.items as Outcome[];
  });
};

/** Asks for the outcomes of a batch. Asks again while some of its leads have an error that passes by itself. */
export const insist = async (ask: () => Promise<Outcome[]>): Promise<Outcome[]> => {
  for (let tries = 1; ; tries++) {
    const items = await ask();
    const open = items.flatMap(({ error }) =>
      error && isOpen(error.code, tries) ? error.code : [],
    );
    if (open.length === 0) return items;
    if (tries >= mostTries) throw new CliError(notNow(open[0]!));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 200 * tries));
  }
};

/**
 * Whether nothing of an attempt was stored. After a 403 a part may be: the sender stopped being a member meanwhile. A
 * redirect is not followed.
 */
const storedNothing = (outcome: Response | Error): boolean =>
  outcome instanceof Response
    ? [400, 401, 404].includes(outcome.status) || Math.floor(outcome.status / 100) === 3
    : ['ENOTFOUND', 'ECONNREFUSED'].includes((outcome.cause as NodeJS.ErrnoException)?.code ?? '');

/** What became of the rows of a batch, from the answers in their order. */
export const doneOf = ({ batch, leads, refused }: Batch, items: readonly Outcome[]): Done => {
  const counts: Counts = { created: 0, updated: 0, unchanged: 0 };
  const all: Refused[] = [...refused];
  items.forEach(({ status, outcome, error }, i) => {
    const { line } = leads[i]!;
    if (error) all.push(...refusalsOf(line, error));
    else counts[outcome ?? (status === 201 ? 'created' : 'updated')]++;
  });
  return { batch, counts, refused: all.sort((a, b) => a.line - b.line) };
};

const refusalsOf = (line: number, error: NonNullable<Outcome['error']>): Refused[] => {
  const { code, message, details = [] } = error;
  if (details.length === 0) return [{ line, code, field: '', message }];
  return details.map(({ path, message: what }) => ({ line, code, field: path, message: what }));
};
