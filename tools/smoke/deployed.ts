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
import { DescribePipeCommand, PipesClient } from '@aws-sdk/client-pipes';

/** What AWS says of a deployed stack. */
export class Deployed {
  readonly #stack: string;

  constructor(stack: string) {
    this.#stack = stack;
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

  /** The pipe of outgoing events, and why it does not run. */
  async pipe(): Promise<{ name: string; state: string; reason: string | undefined }> {
    const [name] = await this.#made('AWS::Pipes::Pipe');
    const pipe = await new PipesClient().send(new DescribePipeCommand({ Name: name }));
    return { name: String(name), state: String(pipe.CurrentState), reason: pipe.StateReason };
  }

  /** What brings records and messages to functions, and whether it does. */
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

  /** The ids of the stack's resources of a type. Throws where it has none. */
  async #made(type: string): Promise<string[]> {
    const pages = paginateListStackResources(
      { client: new CloudFormationClient() },
      { StackName: this.#stack },
    );
    const ids: string[] = [];
    for await (const { StackResourceSummaries = [] } of pages) {
      const made = StackResourceSummaries.filter((one) => one.ResourceType === type);
      ids.push(...made.flatMap((one) => one.PhysicalResourceId ?? []));
    }
    if (ids.length === 0) throw new Error(`The stack ${this.#stack} has no ${type}.`);
    return ids;
  }
}
