import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventBus } from './events-in/event-bus.ts';
import type { Lambda } from './lambda/lambda.ts';
import { startTextServer } from './machine/text-server.ts';
import type { Assembly } from './template/assembly.ts';

/**
 * Lambda's Invoke and EventBridge's PutEvents, so that whoever invokes the internal functions or sends
 * events in AWS does it here with the same SDK, and `AWS_ENDPOINT_URL_LAMBDA` and
 * `AWS_ENDPOINT_URL_EVENTBRIDGE`. Not part of the public gateway: in AWS, IAM guards them.
 */
export const startAwsApis = (
  assembly: Assembly,
  lambda: Pick<Lambda, 'invoke'>,
  bus: EventBus,
): ReturnType<typeof startTextServer> =>
  startTextServer(6 * 1024 * 1024, (server) => {
    server.post('/2015-03-31/functions/:name/invocations', invoke(assembly, lambda));
    server.post('/', putEvents(bus));
  });

const invoke =
  ({ functions }: Assembly, lambda: Pick<Lambda, 'invoke'>) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
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
  };

/** The AWS JSON 1.1 protocol: the operation is in a header. */
const putEvents = (bus: EventBus) => async (request: FastifyRequest, reply: FastifyReply) => {
  reply.headers({ 'content-type': 'application/x-amz-json-1.1', 'x-amzn-requestid': randomUUID() });
  const refuse = (type: string, message: string) =>
    reply.code(400).send(JSON.stringify({ __type: type, message }));
  const target = request.headers['x-amz-target'];
  if (target !== 'AWSEvents.PutEvents') {
    return refuse('UnknownOperationException', `${target} is not served here.`);
  }
  const output = bus.putEvents(JSON.parse(request.body as string));
  return output
    ? reply.send(JSON.stringify(output))
    : refuse('ValidationException', 'There must be 1 to 10 entries, of at most 1 MB together.');
};
