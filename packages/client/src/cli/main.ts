#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { AuditOptions } from './audit.ts';
import type { Where } from './connection.ts';
import { goToCaller } from './directory.ts';
import { listOptions, listQueryOf } from './export-options.ts';
import { failureText } from './failure.ts';
import { fields, matchFields } from './fields.ts';
import type { ImportOptions } from './import-options.ts';
import { presetNames } from './presets/presets.ts';
import { isOfOutput, outliveReaders } from './readers.ts';
import { printable } from './terminal-text.ts';
import type { UsageOptions } from './usage.ts';
import { dateOrders } from './values/date-orders.ts';

// The command line of leads: brings them in from files, and takes them out. What a command does is loaded with it.

/** The version of the package, whose file is as far from the sources as from what is built of them. */
const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

const mapping = (text: string, before: Map<string, string>): Map<string, string> => {
  const at = text.lastIndexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be as “Column=field”.');
  return new Map([...before, [text.slice(0, at), text.slice(at + 1)]]);
};

const also = (text: string, before: string[]): string[] => [...before, text];

const withWhere = (command: Command): Command =>
  command
    .requiredOption('--base-url <url>', 'the service, ending in /v1')
    .option('--organization <id>', 'the organization (default: the only one of the key or token)');

const withoutMark = () =>
  new Option('--no-bom', 'without the byte order mark by which spreadsheets know UTF-8');

const importCommand = withWhere(new Command('import'))
  .description('bring leads in from CSV or NDJSON; killed at any moment, it goes on when repeated')
  .argument('<file>', 'the file, or - for standard input')
  .addOption(
    new Option(
      '--match <field>',
      'change the leads that have this field of a row, and make the others',
    ).choices(matchFields),
  )
  .option('--move', 'move leads that are found to the pipeline of their row')
  .addOption(new Option('--from <system>', 'the file is an export of this').choices(presetNames))
  .addOption(
    new Option(
      '--map <column=field>',
      'the field of a column, or of several as First+Last=field; without a field it is left out; repeatable',
    )
      .argParser(mapping)
      .default(new Map(), 'each by its name'),
  )
  .addOption(
    new Option('--others <what>', 'what to do with columns that are not known').choices([
      'leave-out',
    ]),
  )
  .addOption(
    new Option(
      '--values <field=from=to>',
      'what a value of the file is in the API, as stage=Open=new;Won=won or owner_id=FILE; repeatable',
    )
      .argParser(also)
      .default([], 'as they are'),
  )
  .option('--pipeline <id>', 'the pipeline of rows that name none')
  .option('--country <code>', 'the country of phones without one, such as BR')
  .option('--country-column <column>', 'the column with the country of each row’s phones')
  .option('--unread-phone <field>', 'the custom field for phones that can’t be read')
  .addOption(
    new Option(
      '--dates <order>',
      'whether the day, the month or the year is first, as in 05/06/2026',
    ).choices(dateOrders),
  )
  .option('--time-zone <zone>', 'of times that have none, such as America/Sao_Paulo')
  .option('--encoding <name>', 'such as windows-1252 (default: by its mark, else utf-8)')
  .option('--dry-run', 'only say what would become of columns and rows')
  .option(
    '--report <file>',
    'where to write what was refused or left out (default: FILE.report.csv)',
  )
  .addHelpText(
    'after',
    `\nFields of a lead: ${fields.join(', ')}, fields.<key>; value is an amount that is not in cents, and currency its currency`,
  )
  .action(async (name: string, options: ImportOptions) => {
    const { runImport } = await import('./import-command.ts');
    await runImport(name, options);
  });

const withForce = () => new Option('--force', 'replace the file if it is there');

interface ExportOptions extends Where {
  format: 'csv' | 'ndjson';
  bom: boolean;
  force?: boolean;
}

const exportCommand = withWhere(new Command('export'))
  .description('write every lead, or those that match, as an import with --match takes them')
  .argument('[file]', 'the file; standard output unless told, or with -')
  .addOption(new Option('--format <format>').choices(['csv', 'ndjson']).default('csv'))
  .addOption(withoutMark())
  .addOption(withForce())
  .action(async (name: string | undefined, options: ExportOptions) => {
    const { runExport } = await import('./export.ts');
    await runExport(name, options, listQueryOf({ ...options }));
  });
for (const option of listOptions) exportCommand.addOption(option);

const auditCommand = withWhere(new Command('audit'))
  .description('write who changed what, when and by which request')
  .requiredOption('--from <time>', 'only what was changed then or later, as 2026-11-20 (in UTC)')
  .option('--to <time>', 'only what was changed before (default: now)')
  .option('--type <types...>', 'only changes of these types, as member.updated')
  .option('--user <id>', 'only what this user, this API key, or platform did')
  .addOption(new Option('--format <format>').choices(['csv', 'ndjson']).default('csv'))
  .addOption(withoutMark())
  .action(async (options: Where & AuditOptions) => {
    const { runAudit } = await import('./audit.ts');
    await runAudit(options);
  });

const usageCommand = withWhere(new Command('usage'))
  .description('write how many stars were spent and refunded, by day, feature or spender')
  .option('--from <day>', 'the first day, in UTC (default: the first of the month of --to)')
  .option('--to <day>', 'the last day: at most 366 (default: today)')
  .addOption(
    new Option('--by <what>', 'what has a row')
      .choices(['day', 'feature', 'spender'])
      .default('day'),
  )
  .addOption(new Option('--format <format>').choices(['csv', 'ndjson']).default('csv'))
  .addOption(withoutMark())
  .action(async (options: Where & UsageOptions) => {
    const { runUsage } = await import('./usage.ts');
    await runUsage(options);
  });

const personCommand = withWhere(new Command('person'))
  .description('write all that is known of a person as one JSON file')
  .argument('<lead-id>', 'the lead')
  .argument('[file]', 'the file; standard output unless told, or with -')
  .addOption(withForce())
  .action(
    async (leadId: string, name: string | undefined, options: Where & { force?: boolean }) => {
      const { runPerson } = await import('./person.ts');
      await runPerson(leadId, name, options);
    },
  );

outliveReaders();
try {
  goToCaller();
  await new Command('leads')
    .description('Brings leads into the leads and stars API, and takes them out.')
    .version(readVersion())
    .addHelpText(
      'after',
      '\nLEADS_TOKEN or LEADS_TOKEN_FILE says who you are; the file is read anew for each request.',
    )
    .addCommand(importCommand)
    .addCommand(exportCommand)
    .addCommand(auditCommand)
    .addCommand(usageCommand)
    .addCommand(personCommand)
    .parseAsync();
} catch (error) {
  if (!isOfOutput(error)) {
    console.error(printable(failureText(error)));
    process.exitCode = 1;
  }
}
