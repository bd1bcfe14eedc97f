import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  claimReadyFile,
  clearLeftReadyFile,
  type Ready,
  removeReadyFile,
} from '../../../tools/dev/ready-file.ts';
import { ownDirectory } from './support.ts';

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

// Whoever waits for the file of the next run would take it for that.
test('what a killed service has left is removed at the next start; that of a running one stays', async () => {
  const file = join(directory, 'service.json');
  const { base_url, close } = await serve();
  await writeFile(file, JSON.stringify({ base_url }));
  expect(await clearLeftReadyFile(file)).toBe(base_url);
  expect(existsSync(file)).toBe(true);

  await close();
  expect(await clearLeftReadyFile(file)).toBeUndefined();
  expect(existsSync(file)).toBe(false);

  await writeFile(file, '{"base_url":');
  await clearLeftReadyFile(file);
  expect(existsSync(file)).toBe(false);
});

test('so is what names a port that another program has by now, even one that never answers', async () => {
  const file = join(directory, 'others.json');
  for (const answer of [(_, response) => response.end(), () => {}] satisfies RequestListener[]) {
    const { base_url, close } = await serve(answer);
    await writeFile(file, JSON.stringify({ base_url }));
    await clearLeftReadyFile(file);
    await close();
    expect(existsSync(file)).toBe(false);
  }
});

test('a second service leaves the file of the first, until that has ended', async () => {
  const file = join(directory, 'claimed.json');
  const [first, second] = [await serve(), await serve()];
  const claim = ({ base_url }: { base_url: string }) => claimReadyFile(file, { base_url } as Ready);
  const written = async () => JSON.parse(await readFile(file, 'utf8')).base_url;
  expect(await claim(first)).toBeUndefined();
  expect(await claim(second)).toBe(first.base_url);
  await removeReadyFile(file, second.base_url);
  expect(await written()).toBe(first.base_url);

  await first.close();
  expect(await claim(second)).toBeUndefined();
  expect(await written()).toBe(second.base_url);
  // It answers already when it writes its file, which may be there from an earlier run at the same port.
  expect(await claim(second)).toBeUndefined();
  await second.close();
});
