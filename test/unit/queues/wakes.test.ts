import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { openWakes } from '../../../lib/queues/wakes.ts';

afterEach(() => vi.unstubAllEnvs());

const wake = {
  organization_id: '5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11',
  consumer: 'webhooks',
  id: '0d3c2a9e-5b61-4f7a-8c1d-2e9f6a7b8c0d',
};

/** What is opened from now on sends to this server. */
const sendTo = async (server: Server): Promise<void> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('WAKES_QUEUE_URL', 'https://sqs.us-east-1.amazonaws.com/000000000000/Wakes');
};

test('a follower’s wake is sent as its organization’s, so that SQS lets nobody keep others waiting', async () => {
  const sent: unknown[] = [];
  const server = createServer(async (request, response) => {
    const message = (await json(request)) as { MessageBody: string };
    sent.push(message);
    const MD5OfMessageBody = createHash('md5').update(message.MessageBody).digest('hex');
    response.setHeader('connection', 'close');
    response.end(JSON.stringify({ MessageId: '1', MD5OfMessageBody }));
  });
  await sendTo(server);
  await openWakes().send(wake, 1500);
  expect(sent).toEqual([
    {
      QueueUrl: process.env.WAKES_QUEUE_URL,
      MessageBody: JSON.stringify(wake),
      DelaySeconds: 2,
      MessageGroupId: wake.organization_id,
    },
  ]);
});

test('a wake that gets no answer is sent again, and given up while its function still runs', async () => {
  let asked = 0;
  const silent = createTcpServer((socket) => {
    asked++;
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
  });
  await sendTo(silent);
  await expect(openWakes().send(wake)).rejects.toMatchObject({ code: 'unavailable' });
  expect(asked).toBe(3);
});
