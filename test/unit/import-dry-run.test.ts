import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { leadsBy } from '../../packages/client/src/cli/columns.ts';
import { Connection } from '../../packages/client/src/cli/connection.ts';
import { dryRun } from '../../packages/client/src/cli/dry-run.ts';
import { Progress } from '../../packages/client/src/cli/progress.ts';
import { inspect } from '../../packages/client/src/cli/rows.ts';

/** What a dry run says of one row, which is answered so, one after the other. */
const tried = async (codes: (string | undefined)[]) => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-dry-run-'));
  const file = join(directory, 'leads.csv');
  await writeFile(file, 'contact_name\nAna\n');
  // Waits of no time.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(async () => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    await rm(directory, { recursive: true });
  });
  let asked = 0;
  vi.stubGlobal('fetch', async ({ method }: Request) => {
    if (method === 'GET') return Response.json({ items: [] });
    const code = codes[Math.min(asked++, codes.length - 1)];
    const item = code ? { status: 500, error: { code, message: 'Not now.' } } : { status: 201 };
    return Response.json({ items: [item] });
  });
  const where = { baseUrl: 'http://service.test/v1', organization: 'o' };
  const connection = new Connection(where, { LEADS_TOKEN: 't' });
  const format = { kind: 'csv' as const, delimiter: ',', lineEnds: ['\n'] };
  const leadFile = { format, header: ['contact_name'] };
  const from = { file, leadFile, toLead: () => ({ lead: {} }) };
  const [done] = await dryRun(connection, from, {}, new Progress(1));
  return { asked, codes: done?.refused.map(({ code }) => code) };
};

test('a row that the service can’t look at for now is asked about again, as an import does', async () => {
  expect(await tried(['unavailable', 'timeout', undefined])).toEqual({ asked: 3, codes: [] });
  await expect(tried(['unavailable'])).rejects.toThrow('for now (unavailable)');
});

/** Which lines of a file with these rows are refused, where the service itself refuses none. */
const refusedOf = async (lines: string[], match: 'email' | 'external_id') => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-dry-run-'));
  const file = join(directory, 'leads.csv');
  await writeFile(file, lines.join('\n'));
  onTestFinished(async () => {
    vi.unstubAllGlobals();
    await rm(directory, { recursive: true });
  });
  vi.stubGlobal('fetch', async (request: Request) => {
    const unique_contact = ['email', 'phone'];
    if (request.method === 'GET') {
      return Response.json({ items: ['a', 'b'].map((id) => ({ id, unique_contact })) });
    }
    const { leads } = (await request.json()) as { leads: object[] };
    return Response.json({ items: leads.map(() => ({ status: 201 })) });
  });
  const where = { baseUrl: 'http://service.test/v1', organization: 'o' };
  const connection = new Connection(where, { LEADS_TOKEN: 't' });
  const leadFile = await inspect(file);
  const from = { file, leadFile, toLead: leadsBy(leadFile, new Map()) };
  const [done] = await dryRun(connection, from, { match }, new Progress(lines.length));
  return done?.refused.map(({ line, field }) => `${line} ${field}`);
};

test('rows of one email in two pipelines are two leads: what the one has taken, the other can’t have', async () => {
  const lines = [
    'pipeline_id,email,external_id,phone',
    'a,x@example.com,1,+1',
    'B,x@example.com,1,+2',
    'B,x@example.com,3,+2',
    'a,y@example.com,2,+1',
    'A,X@example.com,1,+1',
    'b,x@example.com,3,+1',
  ];
  expect(await refusedOf(lines, 'email')).toEqual(['3 external_id', '5 phone']);
});

test('rows of one external id are one lead, in whatever pipelines', async () => {
  const lines = ['pipeline_id,external_id,email', 'a,1,x@example.com', 'b,1,x@example.com'];
  expect(await refusedOf(lines, 'external_id')).toEqual([]);
});

test('a row that is refused is so at once', async () => {
  expect(await tried(['invalid_request', undefined])).toEqual({
    asked: 1,
    codes: ['invalid_request'],
  });
});
