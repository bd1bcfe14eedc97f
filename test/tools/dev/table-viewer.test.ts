import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@leads-and-stars/runner';
import { expect, inject, test } from 'vitest';
import { Command, useCommands } from './commands.ts';
import { eventually, send } from './support.ts';

useCommands();

const { tableEndpoint, tableName } = inject('service');

/** `npm run table`, without npm, with a ready file that says this. */
const view = (ready: object | undefined, ...args: string[]): Command =>
  new Command((file) => {
    if (ready) writeFileSync(file, JSON.stringify(ready));
    return [process.execPath, 'tools/dev/table-viewer.ts', '--ready-file', file, ...args];
  });

const running = { dynamodb_endpoint: tableEndpoint, table_name: tableName };

const accepts = async (host: string, port: number): Promise<boolean> => {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

test('shows the data of the running service, on this machine only, until it is stopped', async () => {
  const viewer = view(running, '--port', '0');
  const address = () => /http:\/\/127\.0\.0\.1:\d+\/tables\/\S+/.exec(viewer.stdout)?.[0];
  await eventually('it tells its address', () => address() !== undefined, 60);
  const page = await fetch(address()!);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain(tableName);
  const port = Number(new URL(address()!).port);
  // Whoever listens on all addresses listens on this one too.
  expect([await accepts('127.0.0.1', port), await accepts('127.0.0.2', port)]).toEqual([
    true,
    false,
  ]);
  await expectItsOwnPagesOnly(address()!);
  viewer.kill('SIGINT', 'group');
  expect(await viewer.ended).toBe(0);
  await viewer.gone();
});

/** Others would change the data. */
const expectItsOwnPagesOnly = async (address: string) => {
  const { origin, host } = new URL(address);
  const remove = (headers: Record<string, string>) =>
    send(`${origin}/tables/no-such-table`, { method: 'DELETE', headers });
  for (const headers of [
    { Origin: 'https://elsewhere.example' },
    { Origin: 'null' },
    { Host: 'rebound.example', Origin: 'http://rebound.example' },
  ]) {
    expect([headers, (await remove(headers)).status]).toEqual([headers, 403]);
    expect((await send(address, { method: 'GET', headers })).status).toBe(403);
  }
  const own = await remove({ Host: host, Origin: origin });
  expect(own.status).not.toBe(403);
  expect(own.bytes.toString()).toContain('no-such-table not found');
  expect(own.headers['x-frame-options']).toBe('DENY');
};

const failing = async (viewer: Command): Promise<string> => {
  expect([await viewer.ended, viewer.stdout]).toEqual([1, '']);
  await viewer.gone();
  return viewer.stderr.trim();
};

test.each([
  ['was never started', async () => undefined],
  [
    'was killed',
    async () => ({ ...running, dynamodb_endpoint: `http://127.0.0.1:${await freePort()}` }),
  ],
])('says that the service does not run where it %s', async (_what, ready) => {
  const viewer = view(await ready());
  const file = join(viewer.directory, 'ready.json');
  expect(await failing(viewer)).toBe(
    `The service does not run (${file}): start it with npm run dev.`,
  );
});

test('says that a port is in use, and what it takes', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const told = await failing(view(running, '--port', String(port)));
  server.close();
  expect(told).toBe(`Port ${port} is in use: give another one with --port, or 0 for a free one.`);
  expect(await failing(view(running, '--port', 'x'))).toBe(
    '--port takes a whole number from 0 to 65535.',
  );
});
