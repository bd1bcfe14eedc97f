import { expect, test } from 'vitest';
import { leadsBy, mappingOf } from '../../packages/client/src/cli/columns.ts';
import type { LeadFile } from '../../packages/client/src/cli/rows.ts';

const csv = (header: string[]): LeadFile => ({
  format: { kind: 'csv', delimiter: ',', lineEnds: ['\n'] },
  header,
});

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

test('--map of what is no column is refused; lines of NDJSON can have any name', () => {
  expect(() => leadOf(['Email', 'Phone'], [['Mail', '']])).toThrow(
    '--map names “Mail”, which is no column. Columns: Email, Phone.',
  );
  const map = new Map([['Mail', 'email']]);
  expect(mappingOf({ format: { kind: 'ndjson' }, header: [] }, map)).toBe(map);
});

test('tags that the service takes as one are sent once; options stay in the form that they have', () => {
  const leadFile = csv(['tags', 'fields.colors']);
  const toLead = leadsBy(leadFile, new Map(), undefined, new Map([['colors', 'multi_select']]));
  const cells = ['caf\u00e9; cafe\u0301;vip', 'caf\u00e9;cafe\u0301'];
  expect(toLead({ line: 2, content: { cells } })).toEqual({
    lead: { tags: ['caf\u00e9', 'vip'], fields: { colors: ['caf\u00e9', 'cafe\u0301'] } },
  });
});
