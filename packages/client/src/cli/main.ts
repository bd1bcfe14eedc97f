#!/usr/bin/env node
import { Command, InvalidArgumentError, Option } from 'commander';
import { ApiError } from '../errors.ts';
import { CliError } from './cli-error.ts';
import { fields, hasCustomFields, leadsBy, mappingOf, withoutStage } from './columns.ts';
import { assertId, Connection, type Where } from './connection.ts';
import { readFieldTypes } from './custom-fields.ts';
import { dryRun } from './dry-run.ts';
import { exportAll } from './export.ts';
import { assertTaken, type From, importAll, type Matching, userOf } from './import.ts';
import { assertApart, isPipe, reportOf, withInput } from './input.ts';
import { digestOf, Journal } from './journal.ts';
import { Progress } from './progress.ts';
import { assertWhole, summaryOf, summaryText, writeReport } from './report.ts';
import { inspect, rowsOf } from './rows.ts';
import { printable } from './terminal-text.ts';

// The command line of leads: brings them in from files, and takes them out.

interface ImportOptions extends Where {
  match?: 'external_id' | 'email' | 'phone';
  move?: boolean;
  map: Map<string, string>;
  pipeline?: string;
  dryRun?: boolean;
  report?: string;
}

const mapping = (text: string, before: Map<string, string>): Map<string, string> => {
  const at = text.lastIndexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be as “Column=field”.');
  return new Map([...before, [text.slice(0, at), text.slice(at + 1)]]);
};

const withWhere = (command: Command): Command =>
  command
    .requiredOption('--base-url <url>', 'the service, ending in /v1')
    .requiredOption('--organization <id>', 'the organization');

const importCommand = withWhere(new Command('import'))
  .description('bring leads in from CSV or NDJSON; killed at any moment, it goes on when repeated')
  .argument('<file>', 'the file, or - for standard input')
  .addOption(
    new Option(
      '--match <field>',
      'change the leads that have this field of a row, and make the others',
    ).choices(['external_id', 'email', 'phone']),
  )
  .option('--move', 'move leads that are found to the pipeline of their row')
  .addOption(
    new Option(
      '--map <column=field>',
      'the field of a column; without a field it is left out; repeatable',
    )
      .argParser(mapping)
      .default(new Map(), 'each by its name'),
  )
  .option('--pipeline <id>', 'the pipeline of rows that name none')
  .option('--dry-run', 'only say which rows would be refused')
  .option('--report <file>', 'where to write the rows that were refused (default: FILE.report.csv)')
  .addHelpText('after', `\nFields of a lead: ${fields.join(', ')}, fields.<key>`)
  .action(async (name: string, options: ImportOptions) => {
    const connection = new Connection(options);
    if (options.pipeline !== undefined) assertId('--pipeline', options.pipeline);
    if (options.report === '') throw new CliError('--report must name a file.');
    const report = options.report ?? reportOf(name);
    assertApart(name, report);
    await withInput(name, (file) => run(connection, file, options, report));
  });

const run = async (
  connection: Connection,
  file: string,
  options: ImportOptions,
  report: string,
): Promise<void> => {
  const { match, move, pipeline } = options;
  const leadFile = await inspect(file);
  const map = mappingOf(leadFile, options.map);
  const types = hasCustomFields(leadFile, map) ? await readFieldTypes(connection) : undefined;
  const anyLead = leadsBy(leadFile, map, pipeline, types);
  const toLead = match ? anyLead : withoutStage(anyLead, leadFile, map);
  const from = { file, leadFile, toLead };
  const rows = await countRows(from);
  const matching: Matching = { ...(match && { match }), ...(match && move && { move }) };
  if (move && !match) throw new CliError('--move goes with --match.');
  const all = options.dryRun
    ? await tried(connection, from, matching, rows)
    : await brought(connection, from, options, matching, rows, report);
  writeReport(report, all.done);
  const summary = summaryOf(rows, all.done);
  assertWhole(summary);
  console.log(summaryText(summary, report, options.dryRun === true));
  // Last: whoever is told nothing starts the import again, and then it goes on.
  all.finish();
};

const tried = async (connection: Connection, from: From, matching: Matching, rows: number) => {
  const progress = new Progress(rows);
  const done = await dryRun(connection, from, matching, progress);
  progress.end();
  return { done, finish: () => {} };
};

const brought = async (
  connection: Connection,
  from: From,
  { baseUrl, organization, map, pipeline }: ImportOptions,
  matching: Matching,
  rows: number,
  report: string,
) => {
  // Before there is a journal, which only goes on with the same options.
  await assertTaken(connection);
  const identity = {
    file_sha256: await digestOf(from.file),
    base_url: baseUrl,
    organization_id: organization,
    user_id: matching.match ? null : await userOf(connection),
    options: { ...matching, map: [...map], pipeline: pipeline ?? null },
  };
  const journal = Journal.open(`${report}.state`, identity, matching.match !== undefined);
  const progress = new Progress(rows, Math.min(rows, journal.done.size * 100));
  try {
    await importAll(connection, from, matching, journal, progress);
  } finally {
    progress.end();
  }
  return { done: [...journal.done.values()], finish: () => journal.remove() };
};

/** All of it is read before anything is sent, so that a file that can’t be read brings nothing. */
const countRows = async ({ file, leadFile, toLead }: From): Promise<number> => {
  let rows = 0;
  for await (const row of rowsOf(file, leadFile)) {
    toLead(row);
    rows++;
  }
  return rows;
};

const exportCommand = withWhere(new Command('export'))
  .description('write every lead, as an import with --match takes it')
  .argument('[file]', 'the file; standard output unless told, or with -')
  .addOption(new Option('--format <format>').choices(['csv', 'ndjson']).default('csv'))
  .action(async (name: string | undefined, options: Where & { format: 'csv' | 'ndjson' }) => {
    const file = name === '-' ? undefined : name;
    const leadCount = await exportAll(new Connection(options), file, options.format);
    if (file !== undefined && !isPipe(file)) console.log(`${leadCount} leads`);
  });

const failure = (error: unknown): string => {
  if (error instanceof CliError) return error.message;
  if (error instanceof ApiError && error.code !== 'unknown') {
    const details = error.details.map(({ path, message }) => `${path} ${message}`.trim());
    return `${error.code}: ${details.join('; ') || error.message} (request ${error.requestId})`;
  }
  return (error as Error).message;
};

try {
  await new Command('leads')
    .description('Brings leads into the leads and stars API, and takes them out.')
    .addHelpText(
      'after',
      '\nLEADS_TOKEN or LEADS_TOKEN_FILE says who you are; the file is read anew for each request.',
    )
    .addCommand(importCommand)
    .addCommand(exportCommand)
    .parseAsync();
} catch (error) {
  console.error(printable(failure(error)));
  process.exitCode = 1;
}
