import { expect, test } from 'vitest';
import type { ImportOptions } from '../../../packages/client/src/cli/import-options.ts';
import { importing, inSales, type Lead, sales } from './importing.ts';

// What becomes of rows, and how it is told. By a real service: test/tools/client/import.test.ts.

const people = ['contact_name,email', 'Ana,ana@example.com', 'Rui,'];

test('an import says how many rows became what, and leaves an empty report and no state', async () => {
  const { error, said, report, isOpen, batches } = await importing(people, inSales);
  expect([error, said]).toEqual([
    undefined,
    '2 rows, 2 created, 0 updated, 0 unchanged, 0 refused\n',
  ]);
  expect([report, isOpen]).toEqual(['line,code,field,message\n', false]);
  expect(batches).toEqual([
    {
      leads: [
        { pipeline_id: sales, contact_name: 'Ana', email: 'ana@example.com' },
        { pipeline_id: sales, contact_name: 'Rui' },
      ],
    },
  ]);
});

test('what was refused, and what rows came in without, is told in the report, in the order of lines', async () => {
  const lines = [
    'contact_name,email,phone,next_step_at,=x',
    'Ana,ana@example.com; a@example.com,n/a,,',
    'Rui,rui@example.com,,,',
    ',,,,',
    '"=Eva",eva@,,,',
    'Lia,lia@example.com,,soon,',
  ];
  const taken = { code: 'duplicate_lead', message: 'No.' };
  const answer = ({ contact_name }: Lead) =>
    contact_name === 'Rui'
      ? {
          status: 409,
          error: { ...taken, details: [{ path: 'email', message: 'is the email of lead 7' }] },
        }
      : { status: 201, outcome: contact_name === 'Lia' ? 'unchanged' : 'created' };
  const map = new Map([['=x', '']]);
  const options = { ...inSales, country: 'BR', map };
  const { error, said, report, batches } = await importing(lines, options, answer);
  expect([error, batches[0]?.leads.length]).toEqual([undefined, 4]);
  expect(said.split('\n')).toEqual([
    '4 rows, 2 created, 0 updated, 1 unchanged, 1 refused',
    '4 values were left out or cut in rows that are in.',
    'What was refused, left out or cut is in leads.csv.report.csv.',
    'Columns that are left out: =x.',
    '',
  ]);
  expect(report?.split('\n')).toEqual([
    'line,code,field,message',
    '2,left_out,email,“a@example.com” is a further email address',
    '2,left_out,phone,“n/a” is no phone number',
    '3,duplicate_lead,email,“rui@example.com” is the email of lead 7',
    '5,left_out,email,“eva@” is no email address',
    '6,left_out,next_step_at,“soon” is no date',
    '',
  ]);
});

test('rows that make no lead are refused with their line', async () => {
  const lines = ['contact_name,tags', 'Ana,a', ',b', 'Rui,c,d', `${'x'.repeat(50_001)},e`];
  const { said, report, batches } = await importing(lines, inSales);
  expect(batches[0]?.leads.length).toBe(1);
  expect(said).toContain(
    '4 rows, 1 created, 0 updated, 0 unchanged, 3 refused\nWhat was refused is',
  );
  expect(report?.split('\n').slice(1)).toEqual([
    '3,invalid_row,,"The row has no name, company, email or phone."',
    '4,invalid_row,,"The row has 3 cells where there are 2 columns. If a cell has the sign between cells in it, put it in quotation marks."',
    '5,invalid_row,,The row has more than 50000 bytes.',
    '',
  ]);
});

test('a file without rows brings nothing, and an empty one is refused', async () => {
  expect((await importing(['contact_name,email'], inSales)).said).toContain('0 rows, 0 created');
  const { error, asked } = await importing([''], inSales);
  expect([error, asked]).toEqual(['The file is empty.', []]);
});

test('rows find the leads that they mean, and may move them', async () => {
  const lines = ['external_id,contact_name,stage', '1,Ana,Open'];
  const options: Partial<ImportOptions> = {
    match: 'external_id',
    move: true,
    values: ['stage=Open=won'],
  };
  const answer = () => ({ status: 200, outcome: 'updated' });
  const moved = await importing(lines, { ...options, ...inSales }, answer);
  const lead = { pipeline_id: sales, external_id: '1', contact_name: 'Ana', stage: 'won' };
  expect(moved.batches).toEqual([{ match: 'external_id', move: true, leads: [lead] }]);
  expect(moved.said).toBe('1 rows, 0 created, 1 updated, 0 unchanged, 0 refused\n');
  const found = await importing(lines, { ...options, ...inSales, move: false }, answer);
  expect(found.batches).toEqual([{ match: 'external_id', leads: [lead] }]);
  const missing = await importing(lines, inSales);
  expect(missing.error).toMatch(/^Line 2 has a stage, which needs --match/);
  expect(missing.batches).toEqual([]);
});

test('a line of NDJSON is a lead as in the API', async () => {
  const lines = [
    '{"id":"7","contact_name":"Ana","email":null,"State":"x"}',
    '',
    '[1]',
    '{"contact_name":"Rui","contact_name":"Eva"}',
    'Lia',
    '{"external_id":"1","value_cents":5,"fields":{"note":"n"},"Code":1}',
    '{"external_id":"1","Code":1}',
  ];
  const map = new Map([
    ['State', ''],
    ['Code', 'external_id'],
  ]);
  const options = { ...inSales, map };
  const { report, batches } = await importing(lines, options, undefined, 'leads.ndjson');
  expect(batches[0]?.leads).toEqual([{ pipeline_id: sales, contact_name: 'Ana', email: null }]);
  expect(report?.split('\n').slice(1, -1)).toEqual([
    '3,invalid_row,,The row is not an object.',
    '4,invalid_row,,The row has the name contact_name twice.',
    '5,invalid_row,,The row is not JSON.',
    '6,invalid_row,,The row has the field external_id twice.',
    '7,invalid_row,,The row has the field external_id twice.',
  ]);
  const staged = ['{"contact_name":"Ana","State":"x"}'];
  const ofState = { ...inSales, map: new Map([['State', 'stage']]) };
  expect((await importing(staged, ofState, undefined, 'leads.ndjson')).error).toContain(
    "leave the stage out with --map 'State='.",
  );
});

test('the language of a month is that of --country, but not in a system’s file', async () => {
  const rows = ['Record ID,First Name,Email,Due', '1,Ana,ana@example.com,15 listopada 2024 10:00'];
  const map = new Map([
    ['Due', 'next_step_at'],
    ['Record ID', 'external_id'],
    ['First Name', 'contact_name'],
  ]);
  const of = async (options: Partial<ImportOptions>) => {
    const given = { ...inSales, map, timeZone: 'UTC', ...options };
    const { error, batches } = await importing(rows, given);
    return error ?? batches[0]?.leads[0]?.next_step_at;
  };
  expect(await of({ country: 'PL' })).toBe('2024-11-15T10:00:00.000Z');
  expect(await of({ country: 'HR' })).toBe('2024-10-15T10:00:00.000Z');
  const asked = expect.stringContaining('Line 2: “15 listopada 2024 10:00” can be two dates');
  for (const options of [{ country: 'BR' }, {}, { country: 'PL', from: 'hubspot' }]) {
    expect(await of(options)).toEqual(asked);
  }
});

test('times of NDJSON that the service cuts are told', async () => {
  const [finer, exact] = ['2024-03-12T09:14:45.1239Z', '2024-03-12T09:14:45.1230Z'];
  const leads = [
    { contact_name: 'Ana', next_step_at: finer, fields: { since: finer, note: finer } },
    { contact_name: 'Rui', next_step_at: exact, fields: { since: exact } },
    { contact_name: 'Eva', next_step_at: 5, fields: 'x' },
  ];
  const lines = leads.map((lead) => JSON.stringify(lead));
  const answer = ({ contact_name }: Lead) =>
    contact_name === 'Eva' ? refusedFor('fields', 'is wrong') : { status: 201 };
  const { said, report, batches } = await importing(lines, inSales, answer, 'leads.ndjson');
  expect(batches[0]?.leads).toEqual(leads.map((lead) => ({ pipeline_id: sales, ...lead })));
  expect(said).toContain('2 values were left out or cut in rows that are in.');
  expect(report?.split('\n').slice(1, -1)).toEqual([
    `1,left_out,next_step_at,“${finer}” is cut to milliseconds`,
    `1,left_out,fields.since,“${finer}” is cut to milliseconds`,
    '3,invalid_request,fields,is wrong',
  ]);
});

const many = Array.from({ length: 22 }, (_, i) => `Extra ${i + 1}`);

test('columns that are left out are named: the first 20 after an import, and all in a dry run', async () => {
  const lines = [['First Name', 'Email', ...many].join(','), 'Ana,ana@example.com'];
  const options = { ...inSales, from: 'hubspot' };
  expect((await importing(lines, options)).said.split('\n')[1]).toBe(
    `Columns that are left out: ${many.slice(0, 20).join(', ')}, and 2 more.`,
  );
  expect((await importing(lines, { ...options, dryRun: true })).said).toContain(
    `\nColumns that are left out: ${many.join(', ')}.\n`,
  );
});

const refusedFor = (path: string, message: string, code = 'invalid_request') => ({
  status: 400,
  error: { code, message: '', details: [{ path, message }] },
});

test('a dry run says what becomes of columns and rows, and stores nothing', async () => {
  const header = 'contact_name,email,Mobile,Office,tags,owner_id,Land,fields.note,,Code';
  const cell = (i: number) => (i < 7 ? 'n/a' : '(11) 98888-7777');
  const lines = [
    header,
    ...Array.from(
      { length: 9 },
      (_, i) => `P${i},p${i}@@,${cell(i)},,a;b,Rui,${i === 0 ? 'Atlantis' : 'BR'},n${i},,c${i}`,
    ),
    'Ana,ana@example.com,,+55 11 98888-6666,,,PT,,,',
    'Known,known@example.com,,,,,,,,',
    ',,,,,,,,,',
  ];
  const map = new Map([
    ['Mobile+Office', 'phone'],
    ['Code', ''],
  ]);
  const answer = ({ contact_name }: Lead) => {
    if (contact_name === 'Known') {
      return refusedFor('email', 'is the email of lead 7', 'duplicate_lead');
    }
    return contact_name === 'P8' ? refusedFor('pipeline_id', 'is wrong') : { status: 201 };
  };
  const options = { ...inSales, map, countryColumn: 'Land', unreadPhone: 'note', dryRun: true };
  const { error, said, rows, report, asked, isOpen, batches } = await importing(
    lines,
    options,
    answer,
  );
  expect([error, isOpen, batches[0]?.dry_run]).toEqual([undefined, false, true]);
  expect(asked.filter((one) => !one.startsWith('GET'))).toEqual(['POST /leads/batch']);
  expect(said.split('\n')).toEqual([
    '11 rows, 9 created, 0 updated, 0 unchanged, 2 refused (nothing was stored)',
    '17 values were left out or cut in rows that would come in.',
    'What was refused, left out or cut is in leads.csv.report.csv.',
    'What becomes of each row is in leads.csv.report.csv.rows.csv.',
    '1 of the rows that would be refused are known already.',
    'Columns:',
    '  Mobile + Office → phone; 3 values; 7 could not be read in full, and go into fields.note',
    '  contact_name → contact_name; 11 values',
    '  email → email; 2 values; 8 could not be read: “p0@@”, “p1@@”, “p2@@”, “p3@@”, “p4@@”, …',
    '  tags → tags; 9 values',
    '  owner_id → owner_id; 0 values; 8 go unowned: “Rui” (8)',
    '  fields.note → fields.note; 9 values',
    '  Land → the country of phones; 1 not known: “Atlantis”',
    'Columns that are left out: (column 9), Code.',
    '',
  ]);
  expect(rows?.split('\n').slice(0, 3)).toEqual([
    'line,outcome,lead,told',
    '2,new,P0,"email “p0@@” is no email address; owner_id “Rui” is no member’s id: the lead goes unowned, unless --values \'owner_id=Rui=ID\' says whose it is; country “Atlantis” is no country that is known"',
    expect.stringMatching(/^3,new,P1,/),
  ]);
  expect(rows?.split('\n').slice(-4)).toEqual([
    expect.stringMatching(/^10,refused,P8,pipeline_id is wrong/),
    '11,new,Ana,',
    expect.stringMatching(/^12,known already,Known,email “known@example.com” is the email of/),
    '',
  ]);
  expect(report?.split('\n')).toHaveLength(21);
});

test.each([
  ['updated', 'changed'],
  ['unchanged', 'unchanged'],
  ['created', 'new'],
])('a row that would be %s is told as %s', async (outcome, word) => {
  const lines = ['external_id,contact_name', '1,Ana', '2,'];
  const options: Partial<ImportOptions> = { ...inSales, match: 'external_id', dryRun: true };
  const { rows } = await importing(lines, options, () => ({ status: 200, outcome }));
  expect(rows).toBe(`line,outcome,lead,told\n2,${word},Ana,\n3,${word},2,\n`);
});
