import { expect, test } from 'vitest';
import { planOf } from '../../../packages/client/src/cli/columns.ts';
import { fromCell } from '../../../packages/client/src/cli/custom-fields.ts';
import { type ToLead, withoutStage } from '../../../packages/client/src/cli/leads.ts';
import type { LeadFile, Row } from '../../../packages/client/src/cli/rows.ts';
import { csv, leadsBy, ndjson } from './support.ts';

/** The lead of a row that has the names of the columns as its cells. */
const leadOf = (header: string[], map: [string, string][]) =>
  leadIn(leadsBy(csv(header), map, new Map(), { isMatched: true }), header);

const leadIn = (toLead: ToLead, cells: string[]) => {
  const made = toLead({ line: 2, content: { cells } });
  return 'lead' in made ? made.lead : made;
};

test.each<[string, string[], [string, string][], object]>([
  [
    'as it is written',
    ['Town', 'External ID'],
    [['Town', 'company_name']],
    { company_name: 'Town' },
  ],
  [
    'in other letters',
    ['Town', 'External ID'],
    [[' town', 'company_name']],
    { company_name: 'Town' },
  ],
  [
    'with other signs',
    ['A town', 'External ID'],
    [['a-TOWN', 'company_name']],
    { company_name: 'A town' },
  ],
])('--map means a column %s', (_, header, map, lead) => {
  expect(leadOf(header, map)).toEqual({ external_id: 'External ID', ...lead });
});

test('a column that --map leaves out is not sent, in whatever letters it is', () => {
  expect(leadOf(['Stage', 'external_id'], [['stage', '']])).toEqual({ external_id: 'external_id' });
});

test('of two columns that differ in letters only, --map means the one that it names', () => {
  expect(leadOf(['STAGE', 'Stage'], [['STAGE', '']])).toEqual({ stage: 'Stage' });
  // One that is named counts more than one that is like it.
  const both: [string, string][] = [
    ['Town', 'company_name'],
    ['town', 'external_id'],
  ];
  expect(leadOf(['Town'], both)).toEqual({ company_name: 'Town' });
});

test('all columns that are not known are named at once, each with what to say', () => {
  expect(() => leadOf(['Town', 'Email', "It's"], [])).toThrow(
    `The column “Town” is no field of a lead. Say which one it is with --map 'Town=field', or leave it out with --map 'Town='.
The column “It's” is no field of a lead. Say which one it is with --map 'It'\\''s=field', or leave it out with --map 'It'\\''s='.
Fields: external_id, contact_name,`,
  );
});

test('of more than 20 columns that are not known, the others are counted', () => {
  const told = (count: number) => {
    try {
      leadOf(['Email', ...Array.from({ length: count }, (_, i) => `C${i}`)], []);
    } catch (error) {
      return (error as Error).message.split('\n');
    }
    return [];
  };
  expect(told(20)).toHaveLength(21);
  const lines = told(1000);
  expect(lines).toHaveLength(22);
  expect(lines[19]).toContain('The column “C19”');
  expect(lines[20]).toBe('980 more are none either: --others leave-out leaves all of them out.');
});

test.each([undefined, 'leave-out'] as const)(
  'a first line in which nothing is known is told as such (--others %s)',
  (others) => {
    const leadFile = csv(['Access denied', 'ACME']);
    expect(() => planOf(leadFile, { map: new Map(), others })).toThrow(
      /^No column is a field of a lead\. The first line must have the names of the columns, .* begins with “Access denied”\./,
    );
  },
);

test('two columns that are one field are refused', () => {
  expect(() => leadOf(['Email', 'E-Mail'], [['E-Mail', 'email']])).toThrow(
    'Two columns are the field email.',
  );
});

test('--map of what is no column is refused; lines of NDJSON can have any name', () => {
  expect(() => leadOf(['Email', 'Phone'], [['Mail', '']])).toThrow(
    '--map names “Mail”, which is no column. Columns: Email, Phone.',
  );
  const lead = { external_id: 1 };
  expect(
    read(ndjson, { value: { Mail: 1 }, problems }, [
      ['Mail', 'external_id'],
      ['No', ''],
    ]),
  ).toEqual({ lead });
});

test('tags that the service takes as one are sent once; options stay in the form that they have', () => {
  const leadFile = csv(['tags', 'fields.colors']);
  const custom = new Map([['colors', { type: 'multi_select' }]]);
  const toLead = leadsBy(leadFile, [], custom, { isMatched: true });
  const cells = ['caf\u00e9; cafe\u0301;vip', 'caf\u00e9;cafe\u0301'];
  expect(leadIn(toLead, cells)).toEqual({
    tags: ['caf\u00e9', 'vip'],
    fields: { colors: ['caf\u00e9', 'cafe\u0301'] },
  });
});

const problems = new Map<string, string>();
const read = (leadFile: LeadFile, content: Row['content'], map: [string, string][] = []) => {
  const toLead = leadsBy(leadFile, map, new Map(), { isMatched: true });
  const made = withoutStage(toLead, 'State')({ line: 7, content });
  return 'lead' in made ? { lead: made.lead } : made;
};

test.each([
  ['CSV', () => read(csv(['Stage']), { cells: ['won'] })],
  ['a column', () => read(csv(['State']), { cells: ['won'] }, [['State', 'stage']])],
  ['NDJSON', () => read(ndjson, { value: { stage: null }, problems })],
])('without --match, a stage of %s ends the import, and it says how to leave it out', (_, made) => {
  expect(made).toThrow(`Line 7 has a stage, which needs --match`);
  expect(made).toThrow(`with --map 'State='.`);
});

test.each([
  ['is empty', read(csv(['tags', 'stage']), { cells: ['a', ''] })],
  ['is left out', read(csv(['tags', 'Stage']), { cells: ['a', 'b'] }, [['Stage', '']])],
  ['is not there', read(ndjson, { value: { tags: ['a'] }, problems })],
])('without --match, a stage that %s is none', (_, made) => {
  expect(made).toEqual({ lead: { tags: ['a'] } });
});

test.each<[string, string | number]>([
  ['7', 7],
  [' -0.50 ', -0.5],
  ['123456789.123456', 123456789.123456],
  ['007', 7],
  ['0.30000000000000004', 0.30000000000000004],
  ['1,5', 1.5],
  ['1.250,5', 1250.5],
  ['-1 250,5', -1250.5],
  // These stay as they are, and the service refuses them.
  ['', ''],
  ['seven', 'seven'],
  ['0x10', '0x10'],
  ['1.250', 1.25],
  ['1,250', '1,250'],
  ['1e999', '1e999'],
  // A spreadsheet shortens so.
  ['1.23457E+11', '1.23457E+11'],
  ['123456789012345.678901', '123456789012345.678901'],
])('of a number, a cell %j is %j', (cell, value) => {
  expect(fromCell({ type: 'number' }, cell)).toBe(value);
});

test('a number with one sign before three digits is read as in the country', () => {
  expect(fromCell({ type: 'number' }, '1,250', 'US')).toBe(1250);
  expect(fromCell({ type: 'number' }, '1,250', 'BR')).toBe(1.25);
  expect(fromCell({ type: 'number' }, '1,250', 'ZA')).toBe('1,250');
  // Of an export, it is as in JSON; of other files nobody can say without a country.
  const given = (country?: string) => fromCell({ type: 'number' }, '1.250', country, false);
  expect([given('BR'), given('US'), given()]).toEqual([1250, 1.25, '1.250']);
  expect(fromCell({ type: 'number' }, '1.250', 'BR')).toBe(1.25);
});

test.each<[string, unknown]>([
  ['TRUE', true],
  ['VERDADEIRO', true],
  [' Sí ', true],
  ['não', false],
  ['FALSCH', false],
  ['maybe', 'maybe'],
  ['1', '1'],
])('of a boolean, a cell %j is %j', (cell, value) => {
  expect(fromCell({ type: 'boolean' }, cell)).toBe(value);
});

test.each([
  ['NOVO', 'NOVO'],
  ['Novo', 'Novo'],
  ['novo', 'novo'],
  ['ÚLTIMO', 'Último'],
  ['other', 'other'],
  ['closed-won', 'Closed Won'],
  // Signs count: else these would be others.
  ['<10', '<10'],
  ['C#', 'C#'],
  ['10', '10'],
])('of an option, a cell %j is %j', (cell, value) => {
  const options = ['Novo', 'NOVO', 'Último', '>10', 'C', 'Closed Won'];
  expect(fromCell({ type: 'select', options }, cell)).toBe(value);
});

test('columns of one name are one field where a lead can take more than one', () => {
  const toLead = leadsBy(csv(['Tags', 'tags', 'Email', 'email']), [], new Map(), {
    isMatched: true,
  });
  expect(leadIn(toLead, ['a', 'b', 'none', 'a@example.com'])).toEqual({
    tags: ['a', 'b'],
    email: 'a@example.com',
  });
  expect(() => leadOf(['stage', 'Stage'], [])).toThrow(
    "Two columns are the field stage. Leave one out with --map 'Column='.",
  );
});
