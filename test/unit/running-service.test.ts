import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CliError } from '@leads-and-stars/runner';
import { expect, test } from 'vitest';
import { ownDirectory } from '../../packages/runner/test/support.ts';
import { homesInUse, takeHome } from '../../tools/service/home.ts';
import { runningService } from '../../tools/service/running-service.ts';

const directory = ownDirectory();

/** A program that answers so: as the service's gateway, unless told. */
const serve = async (
  answer: RequestListener = (_request, response) =>
    response.writeHead(404, { 'x-request-id': 'r' }).end(),
) => {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close };
};

test('the service of a ready file is found while it answers, and no other program at its port', async () => {
  const readyFile = join(directory, 'ready.json');
  const { base_url, close } = await serve();
  await writeFile(readyFile, JSON.stringify({ base_url }));
  expect(await runningService({ readyFile })).toEqual({ base_url });
  await close();
  const told = `No service runs at ${base_url}, as ${readyFile} says: start one with npm run dev.`;
  await expect(runningService({ readyFile })).rejects.toEqual(new CliError(told));

  const other = await serve((_request, response) => response.end());
  await writeFile(readyFile, JSON.stringify({ base_url: other.base_url }));
  await expect(runningService({ readyFile })).rejects.toThrow(/^No service runs at /);
  await other.close();

  await writeFile(readyFile, '{"base_url":');
  await expect(runningService({ readyFile })).rejects.toThrow(/^There is no .*ready\.json that/);
});

test('services that run at once have directories of their own, the same ones each time, and are found by port', async () => {
  const root = join(directory, 'two');
  const find = (port?: number) => runningService({ port }, '', homesInUse(root));
  const nobody = /^No service runs here: start one with npm run dev\.$/;
  await expect(find()).rejects.toThrow(nobody);
  const first = takeHome(3001, root);
  // It starts still.
  await expect(find()).rejects.toThrow(nobody);
  const readyAt = (port: number) => ({ base_url: `http://localhost:${port}/v1` });
  await writeFile(first.readyFile, JSON.stringify(readyAt(3001)));
  expect(await find()).toEqual(readyAt(3001));

  const second = takeHome(3002, root);
  expect([first.directory, second.directory]).toEqual([root, join(root, '3002')]);
  expect(second.issuerFile).toBe(join(root, '3002/issuer.json'));
  expect(second.platformKeyFile).toMatch(join(root, '3002/'));
  await writeFile(second.readyFile, JSON.stringify(readyAt(3002)));
  expect([await find(3001), await find(3002)]).toEqual([readyAt(3001), readyAt(3002)]);
  await expect(find()).rejects.toThrow('give --port 3001 or --port 3002.');
  await expect(find(3003)).rejects.toThrow('npm run dev -- --port 3003.');

  // As if it were killed: its files stay, and nobody is told that it runs.
  first.release();
  expect([existsSync(first.readyFile), await find()]).toEqual([true, readyAt(3002)]);
  await expect(find(3001)).rejects.toThrow(/^No service runs here at port 3001: /);
  second.release();
  await expect(find()).rejects.toThrow(nobody);

  const again = takeHome(3002, root);
  expect([again.directory, existsSync(again.readyFile)]).toEqual([second.directory, false]);
  expect(takeHome(3001, root).directory).toBe(root);
  expect(() => takeHome(3002, root)).toThrow(/^Another service has .*3002\/: give a port/);
});

test('a port and a ready file are not given at once', async () => {
  await expect(runningService({ port: 1, readyFile: 'x' })).rejects.toThrow('Give one of --port');
});
