import { expect, onTestFinished, test } from 'vitest';
import { type Organization, provision } from '../../support/organization.ts';
import { seed } from '../../support/random.ts';
import { some } from '../../support/some.ts';
import { systemExports } from '../../support/system-exports.ts';
import { Leads } from './leads.ts';

const setUp = async (): Promise<{ organization: Organization; leads: Leads }> => {
  const organization = await provision();
  const leads = await Leads.of(organization);
  onTestFinished(() => leads.close());
  await organization.post('/fields', { key: 'create_date', label: 'Created', type: 'date' });
  await organization.post('/fields', { key: 'phone_text', label: 'Phone', type: 'text' });
  return { organization, leads };
};

type Delimiter = ',' | ';';
type Line = (string | undefined)[];

/** A cell as spreadsheets quote it. */
const cellText = (cell = ''): string =>
  /[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
const csvOf = (lines: Line[], delimiter: Delimiter): string =>
  lines.map((line) => line.map(cellText).join(delimiter)).join('\r\n');

const encodings: [string, (text: string) => Buffer, string[]][] = [
  ['UTF-8', (text) => Buffer.from(text), []],
  ['UTF-8 with a mark', (text) => Buffer.from(`\ufeff${text}`), []],
  ['Latin-1', (text) => Buffer.from(text, 'latin1'), ['--encoding', 'latin1']],
  ['UTF-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le'), []],
  ['UTF-16BE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), []],
  ['UTF-16 without a mark', (text) => Buffer.from(text, 'utf16le'), ['--encoding', 'utf-16']],
];
const files = encodings.flatMap((encoding) =>
  ([',', ';'] as const).map((delimiter) => [...encoding, delimiter] as const),
);

/** As HubSpot writes contacts: <https://knowledge.hubspot.com/import-and-export/export-records>. */
const hubspot: Line[] = [
  // biome-ignore format: a row is a line.
  ['Record ID', 'First Name', 'Last Name', 'Email', 'Phone Number', 'Country/Region', 'Company Name', 'Contact owner', 'Lead Status', 'Create Date', 'Message'],
  // biome-ignore format: a row is a line.
  ['101', 'Maria', 'da Conceição', 'maria@example.com', '(11) 98888-7777', 'Brasil', 'Padaria "Pão"; Filhos', 'Ana Souza', 'NEW', '2024-03-12 09:14', 'first\nsecond'],
  [
    '102',
    'João',
    '',
    'JOAO@Example.com',
    '912 345 678',
    'Portugal',
    '',
    'Rui Costa',
    '',
    '2024-03-13 10:00',
    '',
  ],
  ['103', '', '', 'only@example.com', '', '', '', '', '', '2024-03-13 10:00', ''],
  ['104', '', '', '', '(415) 555-2671', 'United States', '', '', '', '2024-03-13 10:00', ''],
  ['105', 'Wrong', 'Email', 'wrong@@example', 'n/a', 'Atlantis', '', '', '', 'soon', ''],
  ['106', 'Second', 'Maria', 'Maria@example.com', '', '', '', '', '', '2024-03-13 10:00', ''],
  ['107', 'Short', 'Row'],
  ['108', '', '', '', '', '', '', 'Ana Souza', 'NEW', '2024-03-13 10:00', ''],
  ['', '', '', '', '', '', '', '', '', '', '', '', ''],
  [
    '109',
    '',
    '',
    '',
    '+55 11 3333-4444 / 97777-6666',
    'BR',
    'Só Empresa',
    '',
    '',
    '2024-03-13 10:00',
    '',
    '',
    '',
  ],
];

test.each(some(files, 3, 'files of HubSpot'))(
  `a file as HubSpot writes it comes in by one command, in %s (SEED=${seed})`,
  async (_, encode, options, delimiter) => {
    const { organization, leads } = await setUp();
    const file = await leads.file('contacts.csv', encode(csvOf(hubspot, delimiter)));
    const { agent } = organization.users;
    const args = ['--from', 'hubspot', '--pipeline', organization.pipelineId, '--country', 'BR'];
    args.push('--unread-phone', 'phone_text', '--values', `owner_id=ana souza=${agent}`);
    const ended = await leads.run('import', file, ...args, ...options);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout.split('\n')).toEqual([
      '9 rows, 7 created, 0 updated, 0 unchanged, 2 refused',
      '9 values were left out or cut in rows that are in.',
      `What was refused, left out or cut is in ${file}.report.csv.`,
      'Columns that are left out: Lead Status, Message.',
      '',
    ]);
    const all = await organization.readAll('/leads');
    const found = new Map(all.map((lead) => [lead.external_id, lead]));
    expect(found.get('101')).toMatchObject({
      contact_name: 'Maria da Conceição',
      company_name: 'Padaria "Pão"; Filhos',
      email: 'maria@example.com',
      phone: '+5511988887777',
      owner_id: agent,
      fields: { create_date: '2024-03-12' },
    });
    expect(found.get('102')).toMatchObject({
      contact_name: 'João',
      email: 'JOAO@Example.com',
      phone: '+351912345678',
      owner_id: null,
    });
    expect(found.get('103')).toMatchObject({ contact_name: 'only@example.com', phone: null });
    expect(found.get('104')).toMatchObject({ contact_name: '+14155552671', phone: '+14155552671' });
    expect(found.get('105')).toMatchObject({
      email: null,
      phone: null,
      fields: { phone_text: 'n/a' },
    });
    expect(found.get('107')).toMatchObject({ contact_name: 'Short Row', fields: {} });
    expect(found.get('109')).toMatchObject({
      contact_name: 'Só Empresa',
      phone: '+551133334444',
      fields: { phone_text: '97777-6666' },
    });
    expect(found.size).toBe(7);
    const report = (await leads.read('contacts.csv.report.csv')).trim().split('\n').slice(1);
    const ofTimes = report.filter((line) => line.includes('without its time'));
    expect(ofTimes.map((line) => line.split(',', 1)[0])).toEqual(['2', '4', '5', '6', '12']);
    expect(ofTimes[0]).toBe(
      '2,left_out,fields.create_date,"“2024-03-12 09:14” is cut to 2024-03-12, without its time"',
    );
    const others = report.filter((line) => !ofTimes.includes(line));
    expect(others.map((line) => line.replace(/[\da-f-]{36}/, 'ID'))).toEqual([
      `4,left_out,owner_id,"“Rui Costa” is no member’s id: the lead goes unowned, unless --values 'owner_id=Rui Costa=ID' says whose it is"`,
      '7,left_out,email,“wrong@@example” is no email address',
      '7,left_out,fields.create_date,“soon” is no date',
      '7,left_out,country,“Atlantis” is no country that is known',
      '8,duplicate_lead,email,"“Maria@example.com” is the email of lead ID; line 2 has it, too"',
      '10,invalid_row,,"The row has no name, company, email or phone."',
    ]);
    // The second time nothing is new, and nothing changes.
    const versions = await organization.readAll('/leads');
    const again = await leads.run('import', file, ...args, ...options, '--match', 'external_id');
    expect(again.stdout).toContain('9 rows, 0 created, 0 updated, 7 unchanged, 2 refused');
    expect(await organization.readAll('/leads')).toEqual(versions);
  },
);

test('a dry run says what becomes of each column and of each row', async () => {
  const { organization, leads } = await setUp();
  await organization.lead({ email: 'joao@example.com' });
  const file = await leads.file('contacts.csv', csvOf(hubspot, ','));
  const before = await organization.readAll('/leads');
  const args = ['--from', 'hubspot', '--pipeline', organization.pipelineId, '--country', 'BR'];
  const { stdout } = await leads.run('import', file, ...args, '--dry-run');
  expect(stdout.split('\n').slice(3, -1)).toEqual([
    `What becomes of each row is in ${file}.report.csv.rows.csv.`,
    '1 of the rows that would be refused are known already.',
    'Columns:',
    '  Record ID → external_id; 8 values',
    '  First Name + Last Name → contact_name; 8 values',
    '  Company Name → company_name; 2 values',
    '  Email → email; 4 values; 1 could not be read: “wrong@@example”',
    '  Phone Number → phone; 4 values; 2 could not be read: “n/a”, “97777-6666”',
    '  Contact owner → owner_id; 0 values; 1 go unowned: “Ana Souza”',
    '  Create Date → fields.create_date; 6 values; 5 would be left out or cut: “2024-03-13 10:00” (3), “2024-03-12 09:14”, “soon”',
    '  Country/Region → the country of phones; 1 not known: “Atlantis”',
    'Columns that are left out: Lead Status, Message.',
  ]);
  const rows = await leads.read('contacts.csv.report.csv.rows.csv');
  const told = rows
    .trim()
    .split('\n')
    .map((line) => line.split(',').slice(0, 3).join());
  expect(told).toEqual([
    'line,outcome,lead',
    '2,new,Maria da Conceição',
    '4,known already,João',
    '5,new,only@example.com',
    '6,new,+14155552671',
    '7,new,Wrong Email',
    '8,refused,Second Maria',
    '9,new,Short Row',
    '10,refused,',
    '12,new,Só Empresa',
  ]);
  expect(await organization.readAll('/leads')).toEqual(before);
});

/** As Pipedrive writes people: <https://support.pipedrive.com/en/article/exporting-data-from-pipedrive>. */
const pipedrive: Line[] = [
  // biome-ignore format: a row is a line.
  ['Person - ID', 'Person - Name', 'Person - Labels', 'Person - Organization', 'Person - Email - Work', 'Person - Email - Home', 'Person - Phone - Work', 'Person - Phone - Mobile', 'Person - Owner', 'Person - Create date', 'Person - Open deals'],
  // biome-ignore format: a row is a line.
  ['1', 'Inês Conceição', 'Hot lead, Customer', 'Cedro', 'ines@example.com', '', '(21) 3333-4444', '(21) 99999-8888', 'Ana Souza', '2024-03-12 09:14:45', '2'],
  ['2', '', '', '', '', 'home@example.com', '', '', '', '2024-03-12 09:14:45', '0'],
  ['3', 'Short'],
  ['4', '', '', '', '', '', '', '', 'Ana Souza', '2024-03-12 09:14:45', '0'],
];

test.each(some(files, 2, 'files of Pipedrive'))(
  `a file as Pipedrive writes it comes in by one command, in %s (SEED=${seed})`,
  async (_, encode, options, delimiter) => {
    const { organization, leads } = await setUp();
    const file = await leads.file('people.csv', encode(csvOf(pipedrive, delimiter)));
    const args = ['--from', 'pipedrive', '--pipeline', organization.pipelineId, '--country', 'BR'];
    const { stdout } = await leads.run('import', file, ...args, ...options);
    expect(stdout).toContain('4 rows, 3 created, 0 updated, 0 unchanged, 1 refused');
    expect(stdout).toContain('Columns that are left out: Person - Open deals.');
    const all = await organization.readAll('/leads');
    const found = new Map(all.map((lead) => [lead.external_id, lead]));
    expect(found.get('1')).toMatchObject({
      contact_name: 'Inês Conceição',
      company_name: 'Cedro',
      email: 'ines@example.com',
      phone: '+552133334444',
      tags: ['Hot lead', 'Customer'],
      fields: { create_date: '2024-03-12' },
    });
    expect(found.get('2')).toMatchObject({ contact_name: 'home@example.com' });
    expect(found.get('3')).toMatchObject({ contact_name: 'Short' });
    const report = await leads.read('people.csv.report.csv');
    expect(report).toContain('2,left_out,phone,“+5521999998888” is a further phone number\n');
    expect(report).toContain('5,invalid_row,,"The row has no name, company, email or phone."\n');
  },
);

/** The service stores these of leads that are sent without them. */
const absent = { email: null, phone: null, external_id: null, company_name: null, tags: [] };

test.each(systemExports)(
  '$name of $from comes in by one command',
  async ({ from, content, leads: sent, told, leftOut }) => {
    const organization = await provision({ currency: 'BRL' });
    const leads = await Leads.of(organization);
    onTestFinished(() => leads.close());
    await organization.post('/fields', { key: 'form_id', label: 'Form', type: 'text' });
    const file = await leads.file('export.csv', content);
    const args = ['import', file, '--from', from, '--pipeline', organization.pipelineId];
    const { code, stdout } = await leads.run(...args, '--country', 'BR');
    const refused = told.filter(([, field]) => field === '').length;
    const counts = `${sent.length} created, 0 updated, 0 unchanged, ${refused} refused`;
    expect([code, stdout.split('\n')[0]]).toEqual([0, `${sent.length + refused} rows, ${counts}`]);
    const named = stdout.split('\n').filter((line) => line.startsWith('Columns that are left out'));
    const all = `Columns that are left out: ${leftOut.join(', ')}.`;
    expect(named).toEqual(leftOut.length > 0 ? [all] : []);
    const stored = await organization.readAll('/leads');
    expect(stored).toHaveLength(sent.length);
    for (const lead of sent) {
      expect(stored).toContainEqual(
        expect.objectContaining({ ...absent, value_cents: null, ...lead }),
      );
    }
    const report = (await leads.read('export.csv.report.csv')).trim().split('\n').slice(1);
    expect(report).toHaveLength(told.length);
    told.forEach(([line, field], i) => {
      expect(report[i]).toMatch(new RegExp(`^${line},(left_out|invalid_row),${field},`));
    });
  },
);

test('an import with --match overwrites no person with another one', async () => {
  const { organization, leads } = await setUp();
  const rows = ['contact_name,external_id', 'Ana,7', 'Rui,7', 'Eva,7.0', 'Zé,1.23457E+11', 'Bia,8'];
  const file = await leads.file('leads.csv', rows.join('\n'));
  const args = ['import', file, '--match', 'external_id', '--pipeline', organization.pipelineId];
  const foretold = await leads.run(...args, '--dry-run');
  const dry = await leads.read('leads.csv.report.csv');
  const { stdout } = await leads.run(...args);
  expect(stdout).toContain('5 rows, 2 created, 0 updated, 0 unchanged, 3 refused');
  expect(foretold.stdout).toContain('5 rows, 2 created, 0 updated, 0 unchanged, 3 refused');
  const stored = await organization.readAll('/leads');
  expect(stored.map(({ contact_name }) => contact_name).sort()).toEqual(['Ana', 'Bia']);
  const report = await leads.read('leads.csv.report.csv');
  expect(report.trim().split('\n').slice(1)).toEqual([
    '3,duplicate_row,external_id,"“7” is the external_id of line 2, too: only that row counts"',
    '4,duplicate_row,external_id,"“7” is the external_id of line 2, too: only that row counts"',
    '5,invalid_request,external_id,"“1.23457E+11” was shortened by a spreadsheet; external_id is required, since the lead is found by it"',
  ]);
  expect(dry).toBe(report);
});

test('the country of phones says nothing of a system’s dates', async () => {
  const { organization, leads } = await setUp();
  const text = 'Record ID,First Name,Email,Create Date\n1,Ana,ana@example.com,05/06/2024\n';
  const file = await leads.file('contacts.csv', text);
  const args = ['import', file, '--from', 'hubspot', '--pipeline', organization.pipelineId];
  const { code, stderr } = await leads.run(...args, '--country', 'BR');
  expect([code, stderr]).toEqual([1, expect.stringContaining('can be two dates. Say --dates dmy')]);
  expect((await leads.run(...args, '--country', 'BR', '--dates', 'mdy')).code).toBe(0);
  expect(await organization.readAll('/leads')).toMatchObject([
    { contact_name: 'Ana', fields: { create_date: '2024-05-06' } },
  ]);
});

test('an answer of another service is named as one', async () => {
  const { leads } = await setUp();
  for (const text of ['{"error":"unauthorized"}', '{"items":[],"next_cursor":null}']) {
    const file = await leads.file('answer.json', text);
    const { code, stderr } = await leads.run('import', file);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The first line is JSON, but no lead: it has (error|items, next_cursor)\. It may/,
      ),
    ]);
  }
  const map = ['--map', 'Mail=email', '--match', 'email'];
  const own = await leads.file('own.ndjson', '{"Mail":"a@b.co"}\n');
  expect((await leads.run('import', own, ...map)).code).toBe(0);
});

test.each<[string, string[]]>([
  ['--country “Atlantis” is not known', ['--country', 'Atlantis']],
  ['--country-column names “Land”, which is no column', ['--country-column', 'Land']],
  [
    "--unread-phone 'age' must name a custom field of type text. There are: phone_text.",
    ['--unread-phone', 'age'],
  ],
  [
    '--unread-phone goes with a column that is the phone',
    ['--unread-phone', 'phone_text', '--map', 'phone='],
  ],
  ['--values owner_id: “x” is no user’s id', ['--values', 'owner_id=Ana=x']],
  ['--values stage: there is no file stages.csv', ['--values', 'stage=stages.csv']],
  ['--values email: say it of a field such as', ['--values', 'email=a=b']],
  ['is none of this organization. There are: ', ['--pipeline', crypto.randomUUID()]],
  ['--values stage: “nope” is no stage. There are: new, ', ['--values', 'stage=Open=nope']],
  ['--time-zone “Mars” is not known', ['--time-zone', 'Mars']],
  ['--encoding “klingon” is not known', ['--encoding', 'klingon']],
  ['Line 2: “05/06/2024” can be two dates. Say --dates dmy', []],
])(
  '%s: an option that is wrong is named in one line, and nothing is sent',
  async (told, options) => {
    const { organization, leads } = await setUp();
    const text = 'contact_name,phone,fields.create_date\nAna,n/a,05/06/2024\n';
    const file = await leads.file('leads.csv', text);
    const args = ['import', file, '--pipeline', organization.pipelineId, ...options];
    const { code, stdout, stderr } = await leads.run(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(told);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(await organization.readAll('/leads')).toEqual([]);
  },
);

test.each([
  ['--from', 'hubspot'],
  ['--others', 'leave-out'],
  ['--country', 'BR'],
  ['--unread-phone', 'x'],
  ['--values', 'stage=a=b'],
])('lines of NDJSON are as in the API: %s is for cells', async (...option) => {
  const { leads } = await setUp();
  const file = await leads.file('leads.ndjson', '{"contact_name":"Ana"}\n');
  const { code, stderr } = await leads.run('import', file, ...option);
  expect([code, stderr]).toEqual([
    1,
    `${option[0]} is for CSV. Lines of NDJSON are leads as in the API.\n`,
  ]);
});

test('a row without what it is to be found by is refused, and says what was wrong with that', async () => {
  const { organization, leads } = await setUp();
  const rows = 'contact_name,email\nAna,ana@@example\nRui,\nZé,ze@example.com\n';
  const file = await leads.file('leads.csv', rows);
  const args = ['import', file, '--pipeline', organization.pipelineId, '--match', 'email'];
  expect((await leads.run(...args)).stdout).toContain(
    '3 rows, 1 created, 0 updated, 0 unchanged, 2',
  );
  const report = (await leads.read('leads.csv.report.csv')).trim().split('\n').slice(1);
  expect(report).toEqual([
    '2,invalid_request,email,"“ana@@example” is no email address; email is required, since the lead is found by it"',
    '3,invalid_request,email,"is required, since the lead is found by it"',
  ]);
});

test('where new leads go has to be said, by an option or a column', async () => {
  const { organization, leads } = await setUp();
  const file = await leads.file('leads.csv', 'contact_name\nAna\n');
  const { code, stderr } = await leads.run('import', file);
  expect([code, stderr]).toEqual([1, '--pipeline must say where new leads go: no column does.\n']);
  const rows = `contact_name,Pipeline ID\nAna,${organization.pipelineId}\n`;
  const other = await leads.file('other.csv', rows);
  expect((await leads.run('import', other)).stdout).toContain('1 rows, 1 created');
});
