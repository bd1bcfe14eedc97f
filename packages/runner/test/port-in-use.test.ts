import { once } from 'node:events';
import { createServer } from 'node:net';
import { expectFreePort, freePort } from '@leads-and-stars/runner';
import { expect, test } from 'vitest';

// A program at the second address alone would get what is sent to `localhost`.
test.each(['127.0.0.1', '::1', '::'])('a port that a program has at %s is told', async (host) => {
  const port = await freePort();
  await expectFreePort(port);
  const server = createServer().listen(port, host);
  const has = await once(server, 'listening').catch(() => undefined);
  if (!has) return; // This machine has no such address.
  await expect(expectFreePort(port)).rejects.toThrow(
    `Port ${port} is in use: stop the program that has it, or give another port with --port`,
  );
  server.close();
  await once(server, 'close');
  await expectFreePort(port);
});

test('no port in particular is always free', async () => {
  await expectFreePort(0);
});
