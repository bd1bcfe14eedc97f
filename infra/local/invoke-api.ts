import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import type { Assembly } from './assembly.ts';
import type { Lambda } from './lambda.ts';

/**
 * Lambda's Invoke API, so that whoever invokes the internal functions in AWS does it here with the
 * same SDK and `AWS_ENDPOINT_URL_LAMBDA`. Not part of the public gateway: in AWS, IAM guards it.
 */
export const startInvokeApi = async (
  { functions }: Assembly,
  lambda: Lambda,
): Promise<{ endpoint: string; close: () => Promise<void> }> => {
  const server = fastify({ bodyLimit: 6 * 1024 * 1024, forceCloseConnections: true });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  server.post('/2015-03-31/functions/:name/invocations', async (request, reply) => {
    const { name } = request.params as { name: string };
    const fn = functions.find((one) => one.name === name);
    if (!fn) {
      const body = { Type: 'User', Message: `Function not found: ${name}` };
      return reply.code(404).header('x-amzn-errortype', 'ResourceNotFoundException').send(body);
    }
    const requestId = randomUUID();
    const event = JSON.parse((request.body as string) || '{}');
    const outcome = await lambda.invoke(fn, event, requestId);
    reply.headers({ 'content-type': 'application/json', 'x-amzn-requestid': requestId });
    if (outcome.kind === 'result') return reply.send(outcome.payload ?? 'null');
    const { errorType, errorMessage } = outcome;
    return reply.header('x-amz-function-error', 'Unhandled').send({ errorType, errorMessage });
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close() };
};
