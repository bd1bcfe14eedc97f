import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Connection } from '../../packages/client/src/cli/connection.ts';
import { dryRun } from '../../packages/client/src/cli/dry-run.ts';
import { Progress } from '../../packages/client/src/cli/progress.ts';

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
  const source = { format, header: ['contact_name'] };
  const from = { file, source, toLead: () => ({ lead: {} }) };
  const [done] = await dryRun(connection, from, {}, new Progress(1));
  return { asked, codes: done?.refused.map(({ code }) => code) };
};

test('a row that the service can’t look at for now is asked about again, as an import does', async () => {
  expect(await tried(['unavailable', 'timeout', undefined])).toEqual({ asked: 3, codes: [] });
  await expect(tried(['unavailable'])).rejects.toThrow('for now (unavailable)');
});

test('a row that is refused is so at once', async () => {
  expect(await tried(['invalid_request', undefined])).toEqual({
    asked: 1,
    codes: ['invalid_request'],
  });
});
