import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { some } from '../../support/some.ts';

// The command line sends to whatever service runs in its directory: here one of the test's own.

const script = (name: string) => join(import.meta.dirname, `../../../tools/dev/${name}.ts`);
const run = promisify(execFile);

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-event-'));
});
afterAll(() => rm(directory, { recursive: true }));

const send = (...args: string[]) =>
  run(process.execPath, [script('event'), ...args], { cwd: directory }).then(
    ({ stdout }) => ({ failed: false, said: stdout }),
    ({ stderr }) => ({ failed: true, said: stderr as string }),
  );

const purchase = (organization: string) => [
  'pack.purchased',
  '--organization',
  organization,
  '--stars',
  '500',
];

test('an event shows in the balance of the running service, which is found while it runs', {
  timeout: 120_000,
}, async () => {
  const file = join(directory, '.local/service.json');
  const unknown = purchase(crypto.randomUUID());
  expect((await send(...unknown)).said).toContain('npm run dev');

  const args = [script('dev'), '--memory', '--port', '0', '--environments', '1'];
  const dev = spawn(process.execPath, args, { cwd: directory, stdio: 'ignore' });
  const ended = once(dev, 'exit');
  try {
    await eventually(
      () => existsSync(file) || dev.exitCode !== null,
      (there) => there,
      60_000,
    );
    const ready = JSON.parse(await readFile(file, 'utf8'));
    const [{ organization_id: id, tokens }] = ready.organizations;
    // biome-ignore lint/suspicious/noExplicitAny: answers of several shapes.
    const read = async (path: string): Promise<any> => {
      const headers = { authorization: `Bearer ${tokens.owner}`, 'x-organization-id': id };
      return (await fetch(`${ready.base_url}${path}`, { headers })).json();
    };
    const before = (await read('/billing/balance')).pack_stars;
    const { failed, said } = await send(...purchase(id), '--event-id', 'order-1');
    expect([failed, said]).toEqual([false, expect.stringContaining('"event_id": "order-1"')]);
    const adjustment = ['stars.adjusted', '--organization', id, '--pack-change', '-30'];
    // A second service is found by the file that its dev was told to write.
    const elsewhere = join(directory, 'elsewhere.json');
    const told = [...adjustment, '--reason', 'test', '--ready-file', elsewhere];
    expect((await send(...told)).said).toContain('npm run dev');
    await rename(file, elsewhere);
    expect((await send(...told)).failed).toBe(false);
    await rename(elsewhere, file);
    await eventually(
      () => read('/billing/balance'),
      ({ pack_stars }) => pack_stars === before + 470,
    );
    expect((await read('/billing/plans')).items.length).toBe(2);
  } finally {
    dev.kill('SIGTERM');
    await ended;
  }
  expect(existsSync(file)).toBe(false);
});

const refused: [string, string[], string][] = [
  ['no type', [], 'Types:'],
  [
    'an unknown type',
    ['pack.stolen', '--organization', crypto.randomUUID()],
    'TYPE: must be one of',
  ],
  ['no organization', ['pack.purchased', '--stars', '5'], '--organization: is required'],
  [
    'half a star',
    [...purchase(crypto.randomUUID()), '--stars', '0.5'],
    '--stars: must be a whole number',
  ],
  [
    'no number',
    [...purchase(crypto.randomUUID()), '--stars', 'abc'],
    '--stars: must be a whole number',
  ],
  [
    'an empty number',
    [...purchase(crypto.randomUUID()), '--stars', ''],
    '--stars: must be a whole number',
  ],
  [
    'too many stars',
    [...purchase(crypto.randomUUID()), '--stars', '1000000000001'],
    '--stars: must be at most 1000000000000',
  ],
  [
    'a field of another type',
    [...purchase(crypto.randomUUID()), '--tier', 'pro'],
    '--tier: is not known here',
  ],
  ['an unknown option', [...purchase(crypto.randomUUID()), '--color', 'red'], '--color'],
];

test.each(some(refused, 3, 'refused events'))(
  '%s is told before anything is sent',
  async (_name, args, what) => {
    const { failed, said } = await send(...args);
    expect(failed).toBe(true);
    expect(said).toContain(what);
    expect(said).toContain('npm run event');
  },
);
