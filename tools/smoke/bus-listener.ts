import { randomUUID } from 'node:crypto';
import {
  DeleteRuleCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { CliError } from '@leads-and-stars/runner';
import { eventSource } from '../../lib/changes/change.ts';
import type { Listener, SentEvent } from './listener.ts';

/** Seconds. If this is killed, the queue that it leaves behind keeps no event for longer. */
const retention = '300';

/** Receives the events of a bus, by a rule and a queue of its own. Closing it deletes both. */
export const listenToBus = async (stack: string, bus: string): Promise<Listener> => {
  const [events, queues] = [new EventBridgeClient(), new SQSClient()];
  const name = `${stack}-smoke-${randomUUID().slice(0, 8)}`;
  const cleanUp: (() => Promise<unknown>)[] = [];
  const close = async () => {
    const failures: unknown[] = [];
    for (const undo of cleanUp.splice(0).reverse()) {
      await undo().catch((error) => failures.push(error));
    }
    if (failures.length === 0) return;
    const left = `The rule or the queue ${name} could not be deleted: delete it by hand.`;
    throw new CliError(left, { cause: failures[0] });
  };
  try {
    const attributes = { MessageRetentionPeriod: retention, SqsManagedSseEnabled: 'true' };
    const { QueueUrl } = await queues.send(
      new CreateQueueCommand({ QueueName: name, Attributes: attributes }),
    );
    cleanUp.push(() => queues.send(new DeleteQueueCommand({ QueueUrl })));
    const { Attributes } = await queues.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
    );
    const queueArn = Attributes?.QueueArn ?? '';
    const pattern = JSON.stringify({ source: [eventSource] });
    const { RuleArn = '' } = await events.send(
      new PutRuleCommand({ Name: name, EventBusName: bus, EventPattern: pattern }),
    );
    cleanUp.push(() => events.send(new DeleteRuleCommand({ Name: name, EventBusName: bus })));
    const Policy = policyFor(queueArn, RuleArn);
    await queues.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    const target = { Id: 'smoke', Arn: queueArn };
    await events.send(new PutTargetsCommand({ Rule: name, EventBusName: bus, Targets: [target] }));
    const removal = { Rule: name, EventBusName: bus, Ids: [target.Id] };
    cleanUp.push(() => events.send(new RemoveTargetsCommand(removal)));
    return { received: collect(queues, QueueUrl), close };
  } catch (error) {
    await close().catch((left: Error) => console.error(left.message));
    throw error;
  }
};

const policyFor = (queueArn: string, ruleArn: string): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: queueArn,
        Condition: { ArnEquals: { 'aws:SourceArn': ruleArn } },
      },
    ],
  });

/** All events that have come so far. While a message is invisible, it is received once. */
const collect = (queues: SQSClient, QueueUrl: string | undefined) => {
  const all: SentEvent[] = [];
  return async () => {
    const { Messages = [] } = await queues.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 2,
        VisibilityTimeout: 300,
      }),
    );
    all.push(...Messages.map(({ Body }) => JSON.parse(Body ?? '')));
    return all;
  };
};
