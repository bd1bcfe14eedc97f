import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';
import { given } from '../../support/command-line.ts';
import { provision } from '../../support/organization.ts';
import { systemExports } from '../../support/system-exports.ts';
import { Leads } from './leads.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/import.md'), 'utf8');

/** The commands of a part of the page. */
const commandsOf = (heading: string): string => {
  const [part = ''] = page.split(/^(?=## )/m).filter((one) => one.startsWith(`## ${heading}\n`));
  return [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands).join('\n');
};

/** The commands with which the page begins, without npm. */
const [, beginning = ''] = /^```sh\n(.*?)^```$/ms.exec(page) ?? [];
const program = join(root, 'packages/client/src/cli/main.ts');
const prelude = beginning.replace(
  'npm run --silent leads --',
  `'${process.execPath}' '${program}'`,
);
const [, sample = ''] = /^```csv\n(.*?)^```$/ms.exec(page) ?? [];

/** A file of a system, with addresses of its own. */
const exportOf = (system: string): string | Buffer => {
  const { content } = systemExports.find(({ from }) => from === system)!;
  if (typeof content === 'string') return content.replaceAll('@example', `@${system}.example`);
  return Buffer.from(content.toString('utf16le').replaceAll('@ex', `@${system}.ex`), 'utf16le');
};

const files = {
  'leads.csv': sample,
  'contacts.csv': `Record ID,First Name,Last Name,Email,Phone Number,Contact owner,Create Date,Lead Status
101,Ana,Souza,ana@example.com,(11) 98888-7777,Ana Souza,2024-03-12 09:14,NEW
102,,,,98888-7777,Rui,2024-03-12 09:14,
`,
  'people.csv': `Person - ID,Person - Name,Person - Email - Work,Person - Phone - Mobile,Person - Owner
7,Inês Lima,ines@example.com,(21) 99999-8888,Ana Souza
`,
  'report.csv': exportOf('salesforce'),
  'zoho.csv': exportOf('zoho'),
  'google.csv': exportOf('google'),
  'form.csv': exportOf('meta'),
  'own.csv': Buffer.from(
    `Code;First;Last;Mobile;Office;Remarks;Status;Amount;Country;Since
a1;João;Costa;;912 345 678;x;closed won;1.250,00;;05/06/2024
a2;;Weiß;030 1234567;;;Open;;Deutschland;
`,
    'latin1',
  ),
};

const setUp = async () => {
  const organization = await provision();
  const leads = await Leads.of(organization);
  onTestFinished(() => leads.close());
  await leads.setToken(organization.tokens.owner);
  await leads.file('owners.csv', `Ana Souza,${organization.users.agent}\n`);
  for (const [name, content] of Object.entries(files)) await leads.file(name, content);
  /** Runs commands of the page, from the directory in which the files are. */
  const run = async (commands: string, variables: Record<string, string> = {}) => {
    const { baseUrl } = inject('service');
    const env = {
      ...given,
      HOME: leads.directory,
      BASE_URL: baseUrl,
      ORGANIZATION: organization.id,
      PIPELINE: organization.pipelineId,
      TOKEN: organization.tokens.owner,
      ...variables,
    };
    const args = ['-ec', `${prelude}\n${commands}`];
    const { stdout } = await promisify(execFile)('bash', args, { cwd: leads.directory, env });
    return stdout;
  };
  const found = async () =>
    new Map((await organization.readAll('/leads')).map((lead) => [lead.external_id, lead]));
  return { organization, leads, run, found };
};

const isWindows = { tags: ['posix'] };

test('the commands with which the page begins', isWindows, async () => {
  const { run, leads, organization } = await setUp();
  const [, second = ''] = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text);
  const said = await run(second!);
  expect(said).toContain('1 created, 0 updated, 0 unchanged, 0 refused (nothing was stored)');
  expect(said).toMatch(/\n1 rows, 1 created, 0 updated, 0 unchanged, 0 refused\n(1 leads\n){2}$/);
  expect(await leads.read('all.csv')).toMatch(/,Ana Souza,.*,ana@example.com,\+5511988887777,/);
  const other = await provision();
  await leads.setToken(other.tokens.owner);
  const variables = { OTHER: other.id, OTHER_PIPELINE: other.pipelineId };
  const copied = await run(commandsOf('Into another organization'), variables);
  expect(copied).toContain('1 rows, 1 created');
  expect(await other.readAll('/leads')).toMatchObject([{ contact_name: 'Ana Souza' }]);
  expect(await organization.readAll('/leads')).toHaveLength(1);
});

test('the recipe for HubSpot', isWindows, async () => {
  const { run, found, organization } = await setUp();
  const commands = commandsOf('From HubSpot');
  const dry = await run(commands);
  expect(dry).toContain(
    '2 rows, 2 created, 0 updated, 0 unchanged, 0 refused (nothing was stored)',
  );
  expect(dry).toContain(
    'Phone Number → phone; 1 values; 1 could not be read in full, and go into fields.phone_text',
  );
  expect(dry).toContain('Contact owner → owner_id; 1 values; 1 go unowned: “Rui”');
  await run(commands.replace(/^field .*$/gm, '').replace('--dry-run', ''));
  const leads = await found();
  expect(leads.get('101')).toMatchObject({
    contact_name: 'Ana Souza',
    phone: '+5511988887777',
    owner_id: organization.users.agent,
    fields: { create_date: '2024-03-12T12:14:00.000Z' },
  });
  expect(leads.get('102')).toMatchObject({ fields: { phone_text: '98888-7777' }, owner_id: null });
});

test('the recipes for other systems', isWindows, async () => {
  const { run, found } = await setUp();
  const said = await run(commandsOf('From other systems'));
  expect([...said.matchAll(/^\d+ rows, (\d+) created/gm)].map(([, created]) => created)).toEqual([
    ...['1', '2', '2', '2', '2'],
  ]);
  expect((await found()).get('7')).toMatchObject({
    contact_name: 'Inês Lima',
    phone: '+5521999998888',
  });
});

test('the recipe for columns of one’s own', isWindows, async () => {
  const { run, found, organization } = await setUp();
  await organization.post('/fields', { key: 'since', label: 'Since', type: 'date' });
  expect(await run(commandsOf('Your own columns'))).toContain(
    '2 rows, 2 created, 0 updated, 0 unchanged, 0 refused',
  );
  const leads = await found();
  expect(leads.get('a1')).toMatchObject({
    contact_name: 'João Costa',
    phone: '+351912345678',
    stage: 'won',
    value_cents: 125_000,
    fields: { since: '2024-06-05' },
  });
  expect(leads.get('a2')).toMatchObject({
    contact_name: 'Weiß',
    phone: '+49301234567',
    stage: 'new',
  });
  expect(organization.pipelines).toHaveLength(1);
});

test('the recipe for all of one person', isWindows, async () => {
  const { run, leads, organization } = await setUp();
  const { id } = await organization.lead();
  const said = await run(commandsOf('All of one person'), { LEAD: id });
  expect(said).toMatch(/^Leads that are this person: 1, notes: 0, changes: 1\n$/);
  expect(JSON.parse(await leads.read('person.json')).leads[0].lead.id).toBe(id);
});
