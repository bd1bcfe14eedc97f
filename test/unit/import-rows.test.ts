import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { assertPlainJson } from '../../lib/handlers/http/json-text.ts';
import { type Batch, batchesOf } from '../../packages/client/src/cli/batches.ts';
import { leadsBy } from '../../packages/client/src/cli/columns.ts';
import { problemsIn } from '../../packages/client/src/cli/json-text.ts';
import { inspect } from '../../packages/client/src/cli/rows.ts';
import { seed } from '../support/random.ts';

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
const batchesIn = async (name: string, lines: readonly string[], map: [string, string][] = []) => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-rows-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, name);
  await writeFile(file, lines.join('\n'));
  const leadFile = await inspect(file);
  const types = new Map([
    ['age', 'number'],
    ['colors', 'multi_select'],
  ]);
  const toLead = leadsBy(leadFile, new Map(map), undefined, types);
  const batches: Batch[] = [];
  for await (const batch of batchesOf(file, leadFile, toLead)) batches.push(batch);
  return batches;
};

describe('what the service would refuse a whole body for', () => {
  test.each<[string, string]>([
    ['has a number that is too large, in a', '{"a":1e999}'],
    ['has a number that is too large, in a', '{"a":{"b":[0.1,-1e400]}}'],
    ['has the name a twice', '{"a":1,"a":1}'],
    ['has the name b twice', '{"a":{"b":1,"\\u0062":2}}'],
    ['has the name __proto__, which is not known here', '{"__proto__":{}}'],
    ['has the name prototype, which is not known here', '{"constructor":{"prototype":1}}'],
    ['is nested too deeply', `{"a":${nested(98)}}`],
    ['is nested too deeply', `{"a":${nested(50_000)}}`],
  ])('is refused for its row where it %s, and the other rows are sent', async (message, text) => {
    const [batch] = await batchesIn('leads.ndjson', ['{"email":"a"}', text, '{"email":"b"}']);
    expect(batch?.refused).toEqual([
      { line: 2, code: 'invalid_row', field: '', message: `The row ${message}.` },
    ]);
    expect(batch?.leads).toEqual([
      { line: 1, lead: { email: 'a' } },
      { line: 3, lead: { email: 'b' } },
    ]);
  });

  test.each([
    '{"a":1e22,"b":-0.5e-7,"c":120212345678901234,"d":[0.0,-0]}',
    '{"a":{"b":1},"c":[{"b":1},{"b":1}],"b":"1e999 \\" \\\\"}',
    '{"prototype":{"constructor":[{"prototype":1}]}}',
    `{"a":${nested(97)}}`,
  ])('is not %j', async (text) => {
    const [batch] = await batchesIn('leads.ndjson', [text]);
    expect(batch?.refused).toEqual([]);
    const sent = JSON.stringify({ leads: batch?.leads.map(({ lead }) => lead) });
    expect(isTaken(sent)).toBe(true);
  });

  test('does not matter in what is left out', async () => {
    const text = '{"id":1e999,"Budget":1,"Budget":1,"email":"a"}';
    const [batch] = await batchesIn('leads.ndjson', [text], [['Budget', '']]);
    expect(batch).toMatchObject({ refused: [], leads: [{ lead: { email: 'a' } }] });
  });

  test('is also two names that are mapped to one field', async () => {
    const [batch] = await batchesIn('leads.ndjson', ['{"Mail":1,"email":2}'], [['Mail', 'email']]);
    expect(batch?.refused).toMatchObject([{ message: 'The row has the field email twice.' }]);
  });

  test('is not sent of CSV: such a cell stays a text, which is refused for its row', async () => {
    const cells = ['1e999', '7'];
    const lists = [`["a",${nested(98)}]`, '["a","b"]'];
    const row = (cell: string, i: number) => `${cell},"${lists[i]?.replaceAll('"', '""')}"`;
    const [batch] = await batchesIn('leads.csv', [
      'fields.age,fields.colors',
      ...cells.map((cell, i) => row(cell, i)),
    ]);
    expect(batch?.leads.map(({ lead }) => lead.fields)).toEqual([
      { age: cells[0], colors: lists[0] },
      { age: 7, colors: ['a', 'b'] },
    ]);
  });
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
