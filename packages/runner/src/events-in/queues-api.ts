import { createHash, randomUUID } from 'node:crypto';
import { startTextServer } from '../machine/text-server.ts';
import { allows } from '../table/least-privilege.ts';
import { accessKeyOf, callerIn, Usage } from '../table/table-proxy.ts';
import type { Assembly } from '../template/assembly.ts';
import type { MessageQueue } from './queue.ts';

/** SQS's limits: bytes of a message, and seconds by which a message can be delayed. */
const mostBytes = 1024 * 1024;
const mostDelaySeconds = 900;
/** The form of a message's group. */
const groupForm = /^[!-~]{1,128}$/;

/** A refusal, by SQS's names. */
class Refusal extends Error {
  readonly type: string;
  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/**
 * SQS's SendMessage, for the functions whose roles allow it, by the queue's URL, with a body, a delay and a group.
 * Everything else is refused. `queues` are the stack's, by logical id; without them, messages are taken and
 * go nowhere.
 */
export const startQueuesApi = (
  { functions, queues: emptied, otherQueues }: Assembly,
  queues: ReadonlyMap<string, MessageQueue> | undefined,
  usageFile?: string,
): ReturnType<typeof startTextServer> => {
  const roles = new Map(functions.map((fn) => [accessKeyOf(fn), fn]));
  const usage = new Usage(usageFile);

  const send = (caller: string, target: unknown, request: Record<string, unknown>) => {
    const { QueueUrl, MessageBody, DelaySeconds = 0, MessageGroupId: group, ...unknown } = request;
    const known = target === 'AmazonSQS.SendMessage' && Object.keys(unknown).length === 0;
    if (!known) throw new Refusal('UnsupportedOperation', `${target} is not served here so.`);
    const fn = roles.get(caller);
    const queue = [...emptied, ...otherQueues].find(({ url }) => url === QueueUrl);
    const resource = queue?.arn ?? String(QueueUrl);
    const action = 'sqs:SendMessage';
    if (!fn || !allows(fn.statements, { action, resource })) {
      const message = `${fn?.name ?? 'Nobody'} is not authorized to perform: ${action} on resource: ${resource}`;
      throw new Refusal('AccessDenied', message);
    }
    usage.note(fn.name, action, resource);
    if (!queue) throw new Refusal('QueueDoesNotExist', 'The specified queue does not exist.');
    const text = typeof MessageBody === 'string' ? MessageBody : '';
    if (text === '' || Buffer.byteLength(text) > mostBytes) {
      throw new Refusal('InvalidParameterValue', 'A message has 1 byte to 1 MiB.');
    }
    const delaySeconds = Number(DelaySeconds);
    if (!Number.isInteger(delaySeconds) || delaySeconds < 0 || delaySeconds > mostDelaySeconds) {
      throw new Refusal('InvalidParameterValue', `DelaySeconds is from 0 to ${mostDelaySeconds}.`);
    }
    if (group !== undefined && !(typeof group === 'string' && groupForm.test(group))) {
      throw new Refusal('InvalidParameterValue', 'A group has 1 to 128 characters of ASCII.');
    }
    if (queue.fifo && (group === undefined || DelaySeconds !== 0)) {
      const message = 'A message of a FIFO queue has a group, and no delay of its own.';
      throw new Refusal('InvalidParameterValue', message);
    }
    return {
      MessageId:
        queues?.get(queue.logicalId)?.send(text, delaySeconds * 1000, group) ?? randomUUID(),
      MD5OfMessageBody: createHash('md5').update(text).digest('hex'),
    };
  };

  return startTextServer(2 * mostBytes, (server) => {
    server.post('/', (request, reply) => {
      reply.headers({
        'content-type': 'application/x-amz-json-1.0',
        'x-amzn-requestid': randomUUID(),
      });
      try {
        const body = JSON.parse(request.body as string);
        const answer = send(callerIn(request.headers), request.headers['x-amz-target'], body);
        return reply.send(JSON.stringify(answer));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const __type = `com.amazonaws.sqs#${error.type}`;
        return reply.code(400).send(JSON.stringify({ __type, message: error.message }));
      }
    });
  });
};
