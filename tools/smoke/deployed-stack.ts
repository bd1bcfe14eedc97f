import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import {
  GetAccountSettingsCommand,
  GetEventSourceMappingCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { GetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns';

/** A deployed stack, as AWS describes it. */
export class Deployed {
  readonly #stack: string;
  readonly #alarmTopic: string;

  constructor(stack: string, alarmTopic: string) {
    this.#stack = stack;
    this.#alarmTopic = alarmTopic;
  }

  /** CloudFormation's status of it, such as `UPDATE_COMPLETE`, and whether it can't be deleted. */
  async status(): Promise<{ status: string; isProtected: boolean }> {
    const command = new DescribeStacksCommand({ StackName: this.#stack });
    const { Stacks } = await new CloudFormationClient().send(command);
    const [stack] = Stacks ?? [];
    return {
      status: String(stack?.StackStatus),
      isProtected: stack?.EnableTerminationProtection === true,
    };
  }

  /** The mappings that bring records and messages to functions, and whether each does. */
  async mappings(): Promise<{ functionArn: string; state: string }[]> {
    const client = new LambdaClient();
    const ids = await this.#made('AWS::Lambda::EventSourceMapping');
    return Promise.all(
      ids.map(async (UUID) => {
        const mapping = await client.send(new GetEventSourceMappingCommand({ UUID }));
        return { functionArn: String(mapping.FunctionArn), state: String(mapping.State) };
      }),
    );
  }

  /** How many functions the account may run at once in this region. */
  async mostAtOnce(): Promise<number> {
    const { AccountLimit } = await new LambdaClient().send(new GetAccountSettingsCommand());
    return AccountLimit?.ConcurrentExecutions ?? 0;
  }

  /** How many are told of its alarms, and how many have not said yet that they want to be. */
  async alarmListeners(): Promise<{ confirmed: number; pending: number }> {
    const command = new GetTopicAttributesCommand({ TopicArn: this.#alarmTopic });
    const { Attributes = {} } = await new SNSClient().send(command);
    const { SubscriptionsConfirmed, SubscriptionsPending } = Attributes;
    return { confirmed: Number(SubscriptionsConfirmed), pending: Number(SubscriptionsPending) };
  }

  /** The ids of the stack's resources of a type. Throws where it has none. */
  async #made(type: string): Promise<string[]> {
    const made: string[] = [];
    const pages = paginateListStackResources(
      { client: new CloudFormationClient() },
      { StackName: this.#stack },
    );
    for await (const { StackResourceSummaries = [] } of pages) {
      for (const { ResourceType, PhysicalResourceId } of StackResourceSummaries) {
        if (ResourceType === type && PhysicalResourceId) made.push(PhysicalResourceId);
      }
    }
    if (made.length === 0) throw new Error(`The stack ${this.#stack} has no ${type}.`);
    return made;
  }
}
