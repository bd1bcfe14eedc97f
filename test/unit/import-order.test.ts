import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Batch } from '../../packages/client/src/cli/batches.ts';
import type { Lead } from '../../packages/client/src/cli/columns.ts';
import { Connection } from '../../packages/client/src/cli/connection.ts';
import { importAll, repeatsValue } from '../../packages/client/src/cli/import.ts';
import { Journal } from '../../packages/client/src/cli/journal.ts';
import { Progress } from '../../packages/client/src/cli/progress.ts';
import type { Row } from '../../packages/client/src/cli/rows.ts';

const batchOf = (...leads: Lead[]): Batch => ({
  batch: 0,
  rows: leads.length,
  refused: [],
  leads: leads.map((lead) => ({ line: 1, lead })),
});

test('a batch repeats what one before it has, in any case of letters, and nothing of its own', () => {
  const seen = new Set<string>();
  const repeat = [
    [{ email: 'a@x' }, { external_id: '1' }],
    [{ phone: '+1' }],
    [{ email: 'A@X' }],
    [{ external_id: '1', email: 'b@x' }],
    [{ external_id: '2' }, { external_id: '2' }],
    [{ email: '1' }, { contact_name: 'a@x' }],
  ].map((leads) => repeatsValue(batchOf(...leads), seen));
  expect(repeat).toEqual([false, false, true, true, false, false]);
});

test('where there are too many values to remember, each batch may repeat one', () => {
  const seen = new Set<string>();
  const repeat = ['a', 'b', 'c', 'd'].map((email) => repeatsValue(batchOf({ email }), seen, 3));
  expect([repeat, seen.size]).toEqual([[false, false, false, true], 3]);
});

/** Which of three batches are sent while the second one is under way: each has these leads, and 100 in all. */
const besideTheSecond = async (firsts: Lead[][]): Promise<number[]> => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-import-'));
  onTestFinished(async () => {
    vi.unstubAllGlobals();
    await rm(directory, { recursive: true });
  });
  const file = join(directory, 'leads.ndjson');
  const leads = firsts.flatMap((some, batch) =>
    Array.from({ length: 100 }, (_, i) => some[i] ?? { external_id: `${batch} ${i}` }),
  );
  await writeFile(file, leads.map((lead) => `${JSON.stringify(lead)}\n`).join(''));
  const allRead = Promise.withResolvers<void>();
  let rows = 0;
  const toLead = ({ content }: Row) => {
    if (++rows === leads.length) allRead.resolve();
    return { lead: (content as { value: Lead }).value };
  };
  const underWay = new Set<number>();
  const beside: number[] = [];
  let sent = 0;
  vi.stubGlobal('fetch', async () => {
    const batch = sent++;
    if (underWay.has(1)) beside.push(batch);
    underWay.add(batch);
    // Once all rows are read, the third is sent by then, or has to wait.
    if (batch === 1) await allRead.promise.then(() => wait());
    underWay.delete(batch);
    return Response.json({ items: Array.from({ length: 100 }, () => ({ status: 201 })) });
  });
  const where = { baseUrl: 'http://service.test/v1', organization: 'o' };
  const connection = new Connection(where, { LEADS_TOKEN: 't' });
  const journal = Journal.open(join(directory, 'state'), {} as never, false);
  const leadFile = { format: { kind: 'ndjson' as const }, header: [] };
  await importAll(connection, { file, leadFile, toLead }, {}, journal, new Progress(leads.length));
  expect(journal.done.size).toBe(firsts.length);
  return beside;
};

test.each<[string, Lead[][], number[]]>([
  [
    'at once where they share nothing',
    [[{ email: 'a@x' }, { phone: '+1' }], [{ email: 'a@x' }], []],
    [2],
  ],
  [
    'one after the other where each shares something with one that is answered',
    [[{ email: 'a@x' }, { phone: '+1' }], [{ email: 'a@x' }], [{ phone: '+1' }]],
    [],
  ],
])('two batches are sent %s', async (_, firsts, beside) => {
  expect(await besideTheSecond(firsts)).toEqual(beside);
});
