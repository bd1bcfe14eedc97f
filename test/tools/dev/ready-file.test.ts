import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clearLeftReadyFile } from '../../../tools/dev/ready-file.ts';
import { makeDirectory, remove } from './support.ts';

let directory: string;
beforeAll(async () => {
  directory = await makeDirectory();
});
afterAll(() => remove(directory));

// Whoever waits for the file of the next run would take it for that.
test('what a killed service has left is removed at the next start; that of a running one stays', async () => {
  const file = join(directory, 'service.json');
  const server = createServer((_request, response) => response.writeHead(404).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  await writeFile(file, JSON.stringify({ base_url }));
  await clearLeftReadyFile(file);
  expect(existsSync(file)).toBe(true);

  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  await clearLeftReadyFile(file);
  expect(existsSync(file)).toBe(false);

  await writeFile(file, '{"base_url":');
  await clearLeftReadyFile(file);
  expect(existsSync(file)).toBe(false);
});
