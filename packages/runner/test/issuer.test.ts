import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { startIssuer } from '@leads-and-stars/runner';
import { expect, test } from 'vitest';
import { ownDirectory } from './support.ts';

const directory = ownDirectory();
const start = () =>
  startIssuer({ audience: 'test', directory, stateFile: join(directory, 'issuer.json') });

test('an issuer has its address again, also after a start while another program had it, which it tells', async () => {
  const { url, close } = await start();
  await close();
  const port = Number(new URL(url).port);
  const other = createServer().listen(port, 'localhost');
  await once(other, 'listening');
  const elsewhere = await start();
  expect([elsewhere.takenPort, elsewhere.url === url]).toEqual([port, false]);
  await elsewhere.close();
  other.close();
  await once(other, 'close');

  const again = await start();
  expect([again.takenPort, again.url]).toEqual([undefined, url]);
  await again.close();
});
