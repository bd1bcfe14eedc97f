import { expect, test } from 'vitest';
import { leadsBy, mappingOf, withoutStage } from '../../../packages/client/src/cli/columns.ts';
import { fromCell } from '../../../packages/client/src/cli/custom-fields.ts';
import type { LeadFile, Row } from '../../../packages/client/src/cli/rows.ts';
import { csv, ndjson } from './support.ts';

/** The lead of a row that has the names of the columns as its cells. */
const leadOf = (header: string[], map: [string, string][]) => {
  const leadFile = csv(header);
  const toLead = leadsBy(leadFile, mappingOf(leadFile, new Map(map)));
  return toLead({ line: 2, content: { cells: header } });
};

test.each<[string, string[], [string, string][], object]>([
  ['as it is written', ['Town', 'Email'], [['Town', 'company_name']], { company_name: 'Town' }],
  ['in other letters', ['Town', 'Email'], [[' town', 'company_name']], { company_name: 'Town' }],
  [
    'with other signs',
    ['A town', 'Email'],
    [['a-TOWN', 'company_name']],
    { company_name: 'A town' },
  ],
])('--map means a column %s', (_, header, map, lead) => {
  expect(leadOf(header, map)).toEqual({ lead: { email: 'Email', ...lead } });
});

test('a column that --map leaves out is not sent, in whatever letters it is', () => {
  expect(leadOf(['Email', 'phone'], [['email', '']])).toEqual({ lead: { phone: 'phone' } });
});

test('of two columns that differ in letters only, --map means the one that it names', () => {
  expect(leadOf(['EMAIL', 'Email'], [['EMAIL', '']])).toEqual({ lead: { email: 'Email' } });
  // One that is named counts more than one that is like it.
  const both: [string, string][] = [
    ['Mail', 'phone'],
    ['mail', 'email'],
  ];
  expect(leadOf(['Mail'], both)).toEqual({ lead: { phone: 'Mail' } });
});

test('all columns that are not known are named at once, each with what to say', () => {
  expect(() => leadOf(['Town', 'Email', "It's"], [])).toThrow(
    `The column “Town” is no field of a lead. Say which one it is with --map 'Town=field', or leave it out with --map 'Town='.
The column “It's” is no field of a lead. Say which one it is with --map 'It'\\''s=field', or leave it out with --map 'It'\\''s='.
Fields: external_id, contact_name,`,
  );
});

test('two columns that are one field are refused', () => {
  expect(() => leadOf(['Email', 'E-Mail'], [['E-Mail', 'email']])).toThrow(
    'Two columns are the field email.',
  );
});

test('--map of what is no column is refused; lines of NDJSON can have any name', () => {
  expect(() => leadOf(['Email', 'Phone'], [['Mail', '']])).toThrow(
    '--map names “Mail”, which is no column. Columns: Email, Phone.',
  );
  const map = new Map([['Mail', 'email']]);
  expect(mappingOf(ndjson, map)).toBe(map);
});

test('tags that the service takes as one are sent once; options stay in the form that they have', () => {
  const leadFile = csv(['tags', 'fields.colors']);
  const toLead = leadsBy(leadFile, new Map(), undefined, new Map([['colors', 'multi_select']]));
  const cells = ['caf\u00e9; cafe\u0301;vip', 'caf\u00e9;cafe\u0301'];
  expect(toLead({ line: 2, content: { cells } })).toEqual({
    lead: { tags: ['caf\u00e9', 'vip'], fields: { colors: ['caf\u00e9', 'cafe\u0301'] } },
  });
});

const problems = new Map<string, string>();
const read = (leadFile: LeadFile, content: Row['content'], map: [string, string][] = []) => {
  const mapping = new Map(map);
  return withoutStage(leadsBy(leadFile, mapping), leadFile, mapping)({ line: 7, content });
};

test.each<[string, string, () => unknown]>([
  ['CSV', 'Stage', () => read(csv(['Stage']), { cells: ['won'] })],
  ['a column', 'State', () => read(csv(['State']), { cells: ['won'] }, [['State', 'stage']])],
  ['NDJSON', 'stage', () => read(ndjson, { value: { stage: null }, problems })],
  [
    'a name',
    'State',
    () => read(ndjson, { value: { State: 'won' }, problems }, [['State', 'stage']]),
  ],
])(
  'without --match, a stage of %s ends the import, and it says how to leave it out',
  (_, column, made) => {
    expect(made).toThrow(`Line 7 has a stage, which needs --match`);
    expect(made).toThrow(`with --map '${column}='.`);
  },
);

test.each([
  ['is empty', read(csv(['email', 'stage']), { cells: ['a', ''] })],
  ['is left out', read(csv(['email', 'Stage']), { cells: ['a', 'b'] }, [['Stage', '']])],
  ['is not there', read(ndjson, { value: { email: 'a' }, problems })],
])('without --match, a stage that %s is none', (_, made) => {
  expect(made).toEqual({ lead: { email: 'a' } });
});

test.each<[string, string | number]>([
  ['7', 7],
  [' -0.50 ', -0.5],
  ['+1e3', 1000],
  ['123456789.123456', 123456789.123456],
  ['007', 7],
  ['0.30000000000000004', 0.30000000000000004],
  ['1e22', 1e22],
  // These stay as they are, and the service refuses them.
  ['', ''],
  ['seven', 'seven'],
  ['0x10', '0x10'],
  ['1,5', '1,5'],
  ['1e999', '1e999'],
])('of a number, a cell %j is %j', (cell, value) => {
  expect(fromCell('number', cell)).toBe(value);
});
