import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertPlainJson } from '../../../lib/handlers/http/json-text.ts';
import { batchesOf } from '../../../packages/client/src/cli/batches.ts';
import { problemsIn } from '../../../packages/client/src/cli/json-text.ts';
import { inspect } from '../../../packages/client/src/cli/rows.ts';
import { seed } from '../../support/random.ts';
import { allOf, fileOf, leadsBy } from './support.ts';

const bodyOf = (...rows: string[]) => `{"leads":[${rows.join()}]}`;
const isTaken = (text: string): boolean => {
  try {
    assertPlainJson(text);
    return true;
  } catch {
    return false;
  }
};
const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

/** The batches of a file with these lines. */
const batchesIn = async (
  name: string,
  lines: readonly string[],
  map: [string, string][] = [],
  match?: 'external_id' | 'email' | 'phone',
) => {
  const file = await fileOf(name, lines.join('\n'));
  const leadFile = await inspect(file);
  const types = new Map([
    ['age', { type: 'number' }],
    ['colors', { type: 'multi_select' }],
  ]);
  const toLead = leadsBy(leadFile, map, types, { isMatched: true });
  return allOf(batchesOf(file, leadFile, toLead, match));
};

test.each<[string, string]>([
  ['has a number that is too large, in a', '{"a":1e999}'],
  ['has a number that is too large, in a', '{"a":{"b":[0.1,-1e400]}}'],
  ['has the name a twice', '{"a":1,"a":1}'],
  ['has the name b twice', '{"a":{"b":1,"\\u0062":2}}'],
  ['has the name __proto__, which is not known here', '{"__proto__":{}}'],
  ['has the name prototype, which is not known here', '{"constructor":{"prototype":1}}'],
  ['is nested too deeply', `{"a":${nested(98)}}`],
])(
  'what the service would refuse a whole body for is refused for its row where it %s, and the other rows are sent',
  async (message, text) => {
    const [batch] = await batchesIn('leads.ndjson', ['{"email":"a"}', text, '{"email":"b"}']);
    expect(batch?.refused).toEqual([
      { line: 2, code: 'invalid_row', field: '', message: `The row ${message}.` },
    ]);
    expect(batch?.leads).toEqual([
      { line: 1, lead: { email: 'a' } },
      { line: 3, lead: { email: 'b' } },
    ]);
  },
);

test.each([
  '{"a":1e22,"b":-0.5e-7,"c":120212345678901,"d":[0.0,-0]}',
  '{"a":{"b":1},"c":[{"b":1},{"b":1}],"b":"1e999 \\" \\\\"}',
  '{"prototype":{"constructor":[{"prototype":1}]}}',
  `{"a":${nested(97)}}`,
])('what the service would refuse a whole body for is not %j', async (text) => {
  const [batch] = await batchesIn('leads.ndjson', [text]);
  expect(batch?.refused).toEqual([]);
  const sent = JSON.stringify({ leads: batch?.leads.map(({ lead }) => lead) });
  expect(isTaken(sent)).toBe(true);
});

test('what the service would refuse a whole body for is not looked at where it is left out, and is also two names that are one field', async () => {
  const text = '{"id":1e999,"Budget":1,"Budget":1,"email":"a"}';
  const [batch] = await batchesIn('leads.ndjson', [text], [['Budget', '']]);
  expect(batch).toMatchObject({ refused: [], leads: [{ lead: { email: 'a' } }] });
  const [two] = await batchesIn('leads.ndjson', ['{"Mail":1,"email":2}'], [['Mail', 'email']]);
  expect(two?.refused).toMatchObject([{ message: 'The row has the field email twice.' }]);
});

test('what the service would refuse a whole body for is not sent of CSV: such a cell stays a text, which is refused for its row', async () => {
  const deep = `["a",${nested(98)}]`;
  const rows = [`1e999,"${deep.replaceAll('"', '""')}"`, '7,"[""a"",""b""]"'];
  const [batch] = await batchesIn('leads.csv', ['fields.age,fields.colors', ...rows]);
  expect(batch?.leads.map(({ lead }) => lead.fields)).toEqual([
    { age: '1e999', colors: deep },
    { age: 7, colors: ['a', 'b'] },
  ]);
});

test.each([
  ['fields', '{"n":123456789012345.678901}'],
  ['external_id', '12345678901234567890'],
  ['value_cents', '9007199254740993'],
])('a number of NDJSON that would be rounded costs its line: %s %s', async (name, value) => {
  const lines = [`{"email":"a","${name}":${value}}`, '{"email":"b"}'];
  const [batch] = await batchesIn('leads.ndjson', lines);
  const message = `The row has a number with more digits than are kept, in ${name}.`;
  expect(batch?.refused).toMatchObject([{ line: 1, code: 'invalid_row', message }]);
  expect(batch?.leads).toHaveLength(1);
});

test.each<['external_id' | 'email' | 'phone', string[]]>([
  // An external id is the organization’s, and as it is spelled; contacts are a pipeline’s, emails in any case.
  ['external_id', ['3 external_id 2', '5 external_id 2']],
  ['email', ['3 email 2', '4 email 2']],
  ['phone', ['4 phone 2', '6 phone 3']],
])(
  'of rows that find one lead by %s, the first counts, and others are told',
  async (match, told) => {
    const lines = [
      'pipeline_id,external_id,email,phone',
      'a,x1,ana@example.com,+1',
      'a,x1,Ana@example.com,+2',
      'A,X1,ana@example.com,+1',
      'b,x1,ana@example.com,+1',
      'a,x2,,+2',
      'a,,,',
    ];
    const [batch] = await batchesIn('leads.csv', lines, [], match);
    const all = batch?.refused.map(({ line, code, field, message }) => {
      expect(code).toBe('duplicate_row');
      return `${line} ${field} ${/line (\d+)/.exec(message)?.[1]}`;
    });
    expect(all).toEqual(told);
    // Without --match, no row changes the lead of another.
    expect((await batchesIn('leads.csv', lines))[0]?.refused).toEqual([]);
  },
);

test('rows in batches far apart are told as well', async () => {
  const lines = Array.from({ length: 250 }, (_, i) => `{"external_id":"${i % 249}"}`);
  const batches = await batchesIn('leads.ndjson', lines, [], 'external_id');
  expect(batches.map(({ refused }) => refused.map(({ line }) => line))).toEqual([[], [], [250]]);
});

test(`a row is refused exactly where the service would refuse a body with it (SEED=${seed})`, () => {
  const number = fc.constantFrom('0', '-1.5e+3', '12345678901234567890', '1e22');
  const name = fc.constantFrom('"a"', '"b"', '"\\u0061"', '"constructor"', '"prototype"');
  const names = fc.oneof({ weight: 20, arbitrary: name }, fc.constant('"__proto__"'));
  const { row } = fc.letrec<{ value: string; list: string; row: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      number,
      fc.constantFrom('"1e22"', '"{\\"a\\":1,"', '""', '"\\\\"', 'true', 'null'),
      fc.integer({ min: 94, max: 98 }).map(nested),
      tie('list'),
      tie('row'),
    ),
    list: fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join(' , ')}]`),
    row: fc
      .array(fc.tuple(names, tie('value')), { maxLength: 3 })
      .map((all) => `{ ${all.map((pair) => pair.join(' :')).join(',\t')} }`),
  }));
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(row, (text) => {
      const isRefused = problemsIn(text).size > 0;
      expect(isRefused).toBe(!isTaken(bodyOf('{}', text)));
      seen[isRefused ? 'refused' : 'taken']++;
    }),
    { seed, numRuns: 1000 },
  );
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(50);
});

test('rows with many quotes make a batch shorter: each counts twice in a request, of 6 MB at most', async () => {
  // It has 50,000 bytes as a row, and 100,000 in a request.
  const row = (text: string) => JSON.stringify({ contact_name: text });
  const quotes = '"'.repeat(24_990);
  const sizes = async (text: string) =>
    (await batchesIn('leads.ndjson', Array(70).fill(row(text)))).map(({ leads }) => leads.length);
  const [first = 0, ...rest] = await sizes(quotes);
  expect(rest.length).toBeGreaterThan(0);
  const body = JSON.stringify({ leads: Array(first).fill({ contact_name: quotes }) });
  const inEvent = Buffer.byteLength(JSON.stringify(body));
  expect(inEvent).toBeGreaterThan(5_900_000);
  expect(inEvent).toBeLessThan(6_200_000);
  expect(await sizes('x'.repeat(49_981))).toEqual([70]);
});

test('full leads make a batch shorter: a request has at most 50,000 names and values', async () => {
  // With the lead itself, its list, two names and a text, a line has n + 6 of them.
  const line = (n: number) => `{"tags":[${'1,'.repeat(n)}1],"a":"\\",:[{"}`;
  const sizes = [23_993, 24_980, 23_994, ...Array.from({ length: 101 }, () => 1)];
  const batches = await batchesIn('leads.ndjson', sizes.map(line));
  expect(batches.map(({ leads }) => leads.length)).toEqual([2, 1, 100, 1]);
});
