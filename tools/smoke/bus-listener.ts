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
import { eventSource } from '../../lib/changes/change.ts';
import { organizationId } from './backend.ts';
import type { CleanUp } from './clean-up.ts';
import type { BusListener, SentEvent } from './listener.ts';

/** Seconds. If this is killed, the queue that it leaves behind keeps no event for longer. */
const retention = '300';

/** Receives the events of one organization from a bus, by a rule and a queue of its own, which are removed at the end. */
export const listenToBus = async (
  { stack, bus, runId }: { stack: string; bus: string; runId: string },
  cleanUp: CleanUp,
): Promise<BusListener> => {
  const [events, queues] = [new EventBridgeClient(), new SQSClient()];
  const name = `${stack}-smoke-${runId.slice(0, 8)}`;
  const attributes = { MessageRetentionPeriod: retention, SqsManagedSseEnabled: 'true' };
  const { QueueUrl } = await queues.send(
    new CreateQueueCommand({ QueueName: name, Attributes: attributes }),
  );
  cleanUp.add(`the queue ${name}`, () => queues.send(new DeleteQueueCommand({ QueueUrl })));
  const { Attributes } = await queues.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  const queueArn = Attributes?.QueueArn ?? '';
  const pattern = { source: [eventSource], detail: { organization_id: [organizationId] } };
  const { RuleArn = '' } = await events.send(
    new PutRuleCommand({ Name: name, EventBusName: bus, EventPattern: JSON.stringify(pattern) }),
  );
  const rule = { Name: name, EventBusName: bus };
  cleanUp.add(`the rule ${name}`, () => events.send(new DeleteRuleCommand(rule)));
  const Policy = policyFor(queueArn, RuleArn);
  await queues.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  const target = { Id: 'smoke', Arn: queueArn };
  const removal = { Rule: name, EventBusName: bus, Ids: [target.Id] };
  cleanUp.add(`the target of the rule ${name}`, () =>
    events.send(new RemoveTargetsCommand(removal)),
  );
  const { FailedEntries: [failed] = [] } = await events.send(
    new PutTargetsCommand({ Rule: name, EventBusName: bus, Targets: [target] }),
  );
  if (failed) throw new Error(`The rule ${name} gets no target: ${failed.ErrorMessage}.`);
  return { received: collect(queues, QueueUrl) };
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
