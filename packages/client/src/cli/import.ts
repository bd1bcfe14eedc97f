import type { ErrorCode } from '../errors.ts';
import { type Outcome, type Sent, type Settled, settleAll } from './amend.ts';
import { type Batch, batchesOf, valueName, valuesOf } from './batches.ts';
import { CliError } from './cli-error.ts';
import type { Connection, Watch } from './connection.ts';
import type { Lead, MatchField } from './fields.ts';
import type { Counts, Done, Journal, Refused } from './journal.ts';
import type { ToLead } from './leads.ts';
import type { Progress } from './progress.ts';
import type { LeadFile } from './rows.ts';
import { excerptOf } from './values/plain-text.ts';

/** How rows find the leads that they mean. */
export interface Matching {
  match?: MatchField;
  move?: boolean;
}

/** Batches that are under way at once. */
const atOnce = 4;
/** Values that are remembered, which takes about 500 MB. With more, batches are sent one by one. */
const mostValues = 5_000_000;
/** Rows with `--match` at most: what each finds its lead by is remembered, which takes about 500 MB. */
const mostMatchedRows = 5_000_000;
/** How often a batch is sent again while some of its leads have an error that passes by itself. */
const mostTries = 20;

/** With `forbidden`, its sender lost the role meanwhile: the repeat is refused as a whole, or goes on. */
const passing: readonly string[] = [
  'write_conflict',
  'unavailable',
  'timeout',
  'rate_limited',
  'forbidden',
] satisfies ErrorCode[];

/** Whether another answer may come soon. An error of the service that stays is told as refused. */
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

/** Throws `CliError` where nobody could tell any more whether two rows find one lead. */
export const assertMatchable = (
  rows: number,
  { match }: Matching,
  most = mostMatchedRows,
): void => {
  if (match === undefined || rows <= most) return;
  throw new CliError(`With --match, a file can have ${most} rows, and it has ${rows}: split it.`);
};

/** Rejects where an import would be refused as a whole, as with a wrong organization. Nothing is stored by that. */
export const assertTaken = async (connection: Connection): Promise<void> => {
  const body = { dry_run: true, leads: [{}] } as never;
  await connection.send((client) => client.post('/leads/batch', { body }));
};

/** The user who sends the requests: idempotency keys are a user's own. */
export const userOf = (connection: Connection): Promise<string> =>
  connection.send(async (client) => (await client.get('/me')).data.user_id);

/**
 * Sends every batch that has not been answered yet. Rejects where the service refuses a whole batch. If nothing
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
  const seen = new Map<string, number>();
  for await (const batch of batchesOf(file, leadFile, toLead, matching.match)) {
    // A batch that repeats a value waits for all before it: an earlier row may have the value, and another row may free
    // it.
    const most = repeatsValue(batch, seen) ? 1 : atOnce;
    if (journal.done.has(batch.batch)) continue;
    while (underWay.size >= most) await Promise.race(underWay);
    const sending = sendBatch(connection, batch, matching, journal, seen).then((rows) => {
      underWay.delete(sending);
      progress.add(rows);
    });
    // The error reaches the code that next waits for `sending`.
    sending.catch(() => {});
    underWay.add(sending);
  }
  await Promise.all(underWay);
};

/** Whether a batch has a value of an earlier batch. True where that is not known any more. */
export const repeatsValue = (
  batch: Batch,
  seen: Map<string, number>,
  most = mostValues,
): boolean => {
  if (seen.size >= most) return true;
  let repeats = false;
  for (const [value, line] of valuesOf(batch)) {
    if (seen.has(value)) repeats = true;
    else seen.set(value, line);
  }
  return repeats;
};

const sendBatch = async (
  connection: Connection,
  batch: Batch,
  matching: Matching,
  journal: Journal,
  seen: ReadonlyMap<string, number>,
): Promise<number> => {
  journal.sending(batch.batch);
  const ask = (leads: Lead[], round: number) =>
    outcomesOf(connection, batch.batch, round, leads, matching, journal);
  const settled = await settleAll(batch.leads, matching.match, ask);
  journal.noteOutcomes(doneOf(batch, settled, seen));
  return batch.rows;
};

const outcomesOf = (
  connection: Connection,
  batch: number,
  round: number,
  leads: Lead[],
  matching: Matching,
  journal: Journal,
): Promise<Outcome[]> => {
  const body = { ...matching, leads } as never;
  const idempotencyKey = journal.keyOf(batch, round);
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

/** The results of the rows of a batch. `seen` has the first line of each value that rows can compete for. */
export const doneOf = (
  { batch, refused }: Batch,
  settled: readonly Settled[],
  seen: ReadonlyMap<string, number> = new Map(),
): Done => {
  const counts: Counts = { created: 0, updated: 0, unchanged: 0 };
  const all: Refused[] = [...refused];
  const leftOut: Refused[] = [];
  for (const { sent, outcome } of settled) {
    const { line, leftOut: left = [], cut = [] } = sent;
    if (outcome.error) {
      all.push(...refusalsOf(sent, outcome.error, seen));
      continue;
    }
    counts[outcomeOf(outcome)]++;
    leftOut.push(...[...left, ...cut].map((one) => ({ line, code: 'left_out', ...one })));
  }
  return {
    batch,
    counts,
    refused: all.sort((a, b) => a.line - b.line),
    ...(leftOut.length > 0 && { leftOut }),
  };
};

/** The outcome of a row that was not refused. */
export const outcomeOf = ({ outcome, status }: Outcome): keyof Counts =>
  outcome ?? (status === 201 ? 'created' : 'updated');

/** Why a row of a spreadsheet makes no lead. */
const nameless = 'The row has no name, company, email or phone.';

const refusalsOf = (
  { line, lead, leftOut }: Sent,
  { code, message, details = [] }: NonNullable<Outcome['error']>,
  seen: ReadonlyMap<string, number>,
): Refused[] => {
  if (details.length === 0) return [{ line, code, field: '', message }];
  return details.map(({ path, message: what }) => {
    const value = lead[path as keyof Lead];
    if (path === 'contact_name' && value === undefined && leftOut) {
      return { line, code, field: path, message: nameless };
    }
    if (code !== 'duplicate_lead' || typeof value !== 'string') {
      const why = leftOut?.find(({ field }) => field === path);
      const message = why === undefined ? what : `${why.message}; ${path} ${what}`;
      return { line, code, field: path, message };
    }
    const other = seen.get(valueName(path, value));
    const also = other === undefined || other === line ? '' : `; line ${other} has it, too`;
    return { line, code, field: path, message: `${excerptOf(value)} ${what}${also}` };
  });
};
