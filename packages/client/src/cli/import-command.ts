import { Connection } from './connection.ts';
import { dryRun } from './dry-run.ts';
import { foretoldText, leftOutText, ValueCounts, writeRows } from './dry-run-text.ts';
import {
  assertMatchable,
  assertTaken,
  type From,
  importAll,
  type Matching,
  userOf,
} from './import.ts';
import {
  type CheckedOptions,
  checkImportOptions,
  type ImportOptions,
  type Reader,
  readerOf,
} from './import-options.ts';
import { assertApart, reportOf, withInput } from './input.ts';
import { type Done, digestOf, Journal } from './journal.ts';
import { assertPipeline } from './pipelines.ts';
import { Progress } from './progress.ts';
import { assertSameRows, countLeftOut, summaryOf, summaryText, writeReport } from './report.ts';
import { inspect, rowsOf } from './rows.ts';
import { printable } from './terminal-text.ts';

/** Brings in a file, and prints what became of it. Throws `CliError` and `ApiError`. */
export const runImport = async (name: string, options: ImportOptions): Promise<void> => {
  const connection = new Connection(options);
  const checked = await checkImportOptions(options);
  const report = options.report ?? reportOf(name);
  assertApart(name, report);
  await withInput(name, (file) => run(connection, file, options, checked, report));
};

const run = async (
  connection: Connection,
  file: string,
  options: ImportOptions,
  checked: CheckedOptions,
  report: string,
): Promise<void> => {
  const { match, move, dryRun: isDryRun = false } = options;
  const leadFile = await inspect(file, options.encoding);
  const reader = await readerOf(connection, file, leadFile, options, checked);
  await assertPipeline(connection, {
    pipeline: options.pipeline,
    stages: checked.values.of('stage'),
  });
  const from = { file, leadFile, toLead: reader.toLead };
  const counts = new ValueCounts();
  const rows = await countRows(from, counts);
  const matching: Matching = { ...(match && { match }), ...(match && move && { move }) };
  assertMatchable(rows, matching);
  const all = isDryRun
    ? await tried(connection, from, matching, rows, reader, counts, report)
    : await brought(connection, from, options, reader, matching, rows, report);
  writeReport(report, all.done);
  const summary = summaryOf(rows, all.done);
  assertSameRows(summary);
  console.log(summaryText(summary, report, isDryRun, countLeftOut(all.done)));
  if (all.text !== '') console.log(printable(all.text));
  // Last, as a user who is told nothing starts the import again, which then goes on.
  all.finish();
};

/** Columns that are named at the end of an import: an export of HubSpot can have hundreds that are left out. */
const mostColumnsShown = 20;

interface Ended {
  done: Done[];
  /** Text that is told beside the summary. */
  text: string;
  finish: () => void;
}

const tried = async (
  connection: Connection,
  from: From,
  matching: Matching,
  rows: number,
  { plan, unreadPhone }: Reader,
  counts: ValueCounts,
  report: string,
): Promise<Ended> => {
  const progress = new Progress(rows);
  const done = await dryRun(connection, from, matching, progress);
  progress.end();
  const file = `${report}.rows.csv`;
  writeRows(file, done);
  const columns = plan ? [foretoldText(plan, counts, done, unreadPhone)] : [];
  return {
    done,
    text: [`What becomes of each row is in ${file}.`, ...columns].join('\n'),
    finish: () => {},
  };
};

const brought = async (
  connection: Connection,
  from: From,
  { baseUrl, map, pipeline }: ImportOptions,
  { plan, identity: reading }: Reader,
  matching: Matching,
  rows: number,
  report: string,
): Promise<Ended> => {
  // Checked before there is a journal, which only goes on with the same options.
  await assertTaken(connection);
  const identity = {
    file_sha256: await digestOf(from.file),
    base_url: baseUrl,
    organization_id: await connection.organization(),
    user_id: matching.match ? null : await userOf(connection),
    options: { ...matching, map: [...map], pipeline: pipeline ?? null, reading },
  };
  const journal = Journal.open(`${report}.state`, identity, matching.match !== undefined);
  const progress = new Progress(rows, Math.min(rows, journal.done.size * 100));
  try {
    await importAll(connection, from, matching, journal, progress);
  } finally {
    progress.end();
  }
  const text = plan && plan.leftOut.length > 0 ? leftOutText(plan, mostColumnsShown) : '';
  return { done: [...journal.done.values()], text, finish: () => journal.remove() };
};

/** Reads the whole file before anything is sent, so that a file that can’t be read brings nothing. */
const countRows = async (
  { file, leadFile, toLead }: From,
  counts: ValueCounts,
): Promise<number> => {
  let rows = 0;
  for await (const row of rowsOf(file, leadFile)) {
    counts.add(toLead(row));
    rows++;
  }
  return rows;
};
