import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openWakes } from '../../../lib/webhooks/wakes.ts';

test('a wake that gets no answer is sent again, and given up while its function still runs', async () => {
  let asked = 0;
  const silent = createServer((socket) => {
    asked++;
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    vi.unstubAllEnvs();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('WAKES_QUEUE_URL', 'https://sqs.us-east-1.amazonaws.com/000000000000/wakes');
  const sending = openWakes().send({ organization_id: randomUUID() });
  await expect(sending).rejects.toMatchObject({ code: 'unavailable' });
  expect(asked).toBe(3);
}, 10_000);
