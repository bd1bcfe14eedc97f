import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import { openWakes } from '../../../lib/webhooks/wakes.ts';

afterEach(() => vi.unstubAllEnvs());

test('a wake is sent as its organization’s, so that SQS lets nobody keep others waiting', async () => {
  const sent: unknown[] = [];
  const server = createServer(async (request, response) => {
    const message = (await json(request)) as { MessageBody: string };
    sent.push(message);
    const MD5OfMessageBody = createHash('md5').update(message.MessageBody).digest('hex');
    response.end(JSON.stringify({ MessageId: '1', MD5OfMessageBody }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('WAKES_QUEUE_URL', 'https://sqs.us-east-1.amazonaws.com/000000000000/Wakes');
  try {
    const wake = { organization_id: '5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11' };
    await openWakes().send(wake, 1500);
    expect(sent).toEqual([
      {
        QueueUrl: process.env.WAKES_QUEUE_URL,
        MessageBody: JSON.stringify(wake),
        DelaySeconds: 2,
        MessageGroupId: wake.organization_id,
      },
    ]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
