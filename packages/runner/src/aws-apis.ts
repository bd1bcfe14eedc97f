import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BusEvent, EventBus, MayPut } from './events-in/event-bus.ts';
import type { Lambda } from './lambda/lambda.ts';
import { startTextServer } from './machine/text-server.ts';
import { allows } from './table/least-privilege.ts';
import { accessKeyOf, callerIn, Usage } from './table/table-proxy.ts';
import type { Assembly } from './template/assembly.ts';
import type { LocalFunction } from './template/functions.ts';

interface FunctionsEvents {
  /** Takes each event of a function before the bus does; if it answers a code, the bus refuses the event so. */
  onEvent?: ((event: BusEvent) => unknown) | undefined;
  /** Where the functions' use of their permissions is noted. */
  usageFile?: string | undefined;
}

/**
 * Lambda's Invoke and EventBridge's PutEvents, so that whoever invokes a function or sends events in AWS does it
 * here with the same SDK, and `AWS_ENDPOINT_URL_LAMBDA` and `AWS_ENDPOINT_URL_EVENTBRIDGE`. Not part of the public gateway: in AWS, IAM guards them. A function may put
 * events where its role allows it; anyone else is who develops.
 */
export const startAwsApis = (
  assembly: Assembly,
  lambda: Pick<Lambda, 'invoke'>,
  bus: EventBus,
  options: FunctionsEvents = {},
): ReturnType<typeof startTextServer> =>
  startTextServer(6 * 1024 * 1024, (server) => {
    server.post('/2015-03-31/functions/:name/invocations', invoke(assembly, lambda));
    server.post('/', putEvents(assembly, bus, options));
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
const putEvents = (
  { functions }: Assembly,
  bus: EventBus,
  { onEvent, usageFile }: FunctionsEvents,
) => {
  const roles = new Map(functions.map((fn) => [accessKeyOf(fn), fn]));
  const usage = new Usage(usageFile);
  const mayPut =
    (fn: LocalFunction): MayPut =>
    (resource) => {
      const action = 'events:PutEvents';
      const isAllowed = allows(fn.statements, { action, resource });
      if (isAllowed) usage.note(fn.name, action, resource);
      return isAllowed;
    };
  return async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({
      'content-type': 'application/x-amz-json-1.1',
      'x-amzn-requestid': randomUUID(),
    });
    const refuse = (type: string, message: string) =>
      reply.code(400).send(JSON.stringify({ __type: type, message }));
    const target = request.headers['x-amz-target'];
    if (target !== 'AWSEvents.PutEvents') {
      return refuse('UnknownOperationException', `${target} is not served here.`);
    }
    const fn = roles.get(callerIn(request.headers));
    const body = JSON.parse(request.body as string);
    const output = fn ? bus.putEvents(body, mayPut(fn), onEvent) : bus.putEvents(body);
    return output
      ? reply.send(JSON.stringify(output))
      : refuse('ValidationException', 'There must be 1 to 10 entries, of less than 1 MB together.');
  };
};
