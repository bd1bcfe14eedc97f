import { expect, test } from 'vitest';
import { importing, inSales, type Lead, sales } from './importing.ts';

// Ids of more digits than a spreadsheet or a program keeps, from the file to the report.

const told = (cell: string) =>
  `“${cell}” seems shortened by a spreadsheet: it has only zeros after its 15th digit. If it is right, --values says so`;

const ids = (batches: { leads: Lead[] }[]) =>
  batches.flatMap(({ leads }) => leads.map(({ external_id: id }) => id));

const shortened = [
  'external_id,contact_name,fields.note,fields.size',
  '1234567890123450000,Ana,1234567890123450000.00,1234567890123450',
  '1234567890123450000,Rui,7,8',
];

test('numbers that a spreadsheet shortened are left out, and told', async () => {
  const { batches, report, said } = await importing(shortened, inSales);
  expect(batches[0]?.leads).toEqual([
    { pipeline_id: sales, contact_name: 'Ana' },
    { pipeline_id: sales, contact_name: 'Rui', fields: { note: '7', size: 8 } },
  ]);
  expect(report?.trim().split('\n').slice(1)).toEqual([
    `2,left_out,external_id,"${told('1234567890123450000')}"`,
    `2,left_out,fields.note,"${told('1234567890123450000.00')}"`,
    `2,left_out,fields.size,"${told('1234567890123450')}"`,
    `3,left_out,external_id,"${told('1234567890123450000')}"`,
  ]);
  expect(said).toContain('4 values were left out or cut in rows that are in.');
});

test('a row that needs its id is refused, and told why', async () => {
  const answer = ({ external_id: id }: Lead) => {
    const details = [{ path: 'external_id', message: 'is required' }];
    const error = { code: 'validation_failed', message: 'wrong', details };
    return id === undefined ? { status: 400, error } : { status: 201, outcome: 'created' };
  };
  const options = { ...inSales, match: 'external_id' as const };
  const { report } = await importing(shortened, options, answer);
  expect(report).toContain(
    `2,validation_failed,external_id,"${told('1234567890123450000')}; external_id is required"`,
  );
});

test('a column in which a number has all of its digits has no shortened numbers, in whatever row that is', async () => {
  const lines = ['external_id,contact_name', '1234567890123450000,Ana'];
  const rows = Array.from({ length: 120 }, (_, i) => `${i},x`);
  const all = await importing([...lines, ...rows, '1234567890123456789,Rui'], inSales);
  expect(ids(all.batches)).toContain('1234567890123450000');
  expect(all.report).toBe('line,code,field,message\n');
  const other = await importing([...lines, ...rows, '123456789012345678A,Rui'], inSales);
  expect(ids(other.batches)).not.toContain('1234567890123450000');
});

test.each<[string, string[], Record<string, unknown>]>([
  [
    'that --values gives',
    ['external_id,contact_name', '1234567890123450000,Ana'],
    { values: ['external_id=1234567890123450000=1234567890123456789'] },
  ],
  ['that is marked as a text', ['external_id,contact_name', "'1234567890123456789,Ana"], {}],
  ['that is a formula', ['external_id,contact_name', '"=""1234567890123456789""",Ana'], {}],
  [
    'with the mark of another system',
    ['Record Id,Last Name', 'zcrm_1234567890123456789,Ana'],
    { from: 'zoho' },
  ],
])('an id %s is as it is', async (_, lines, options) => {
  const { batches, report } = await importing(lines, { ...inSales, ...options });
  expect([ids(batches), report]).toEqual([['1234567890123456789'], 'line,code,field,message\n']);
});

test.each([
  [['external_id,contact_name', "'1234567890123450000,Ana"], {}],
  [['Record Id,Last Name', 'zcrm_1234567890123450000,Ana'], { from: 'zoho' }],
  [
    [
      'id,external_id,contact_name,stage_entered_at,created_at,updated_at',
      ',1234567890123450000,Ana',
    ],
    {},
  ],
])(
  'zeros at the end are right in a text, and in what `leads export` wrote: %j',
  async (lines, options) => {
    const { batches } = await importing(lines, { ...inSales, ...options });
    expect(ids(batches)).toEqual(['1234567890123450000']);
  },
);

test.each([
  [',', '\r'],
  [';', ''],
  ['\t', ''],
])(
  'an export that a spreadsheet has saved is checked as other files: %j, %j',
  async (delimiter, end) => {
    const cells = [
      ['id', 'external_id', 'contact_name', 'stage_entered_at', 'created_at', 'updated_at'],
      ['', '1234567890123450000', 'Ana', '', '', ''],
    ];
    const lines = cells.map((row) => `${row.join(delimiter)}${end}`);
    const { batches, report } = await importing(lines, inSales);
    expect(ids(batches)).toEqual([undefined]);
    expect(report).toContain(`2,left_out,external_id,"${told('1234567890123450000')}"`);
  },
);
