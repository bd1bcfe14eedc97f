import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { DescribePipeCommand, PipesClient } from '@aws-sdk/client-pipes';

/** What AWS says of a deployed stack. */
export class Deployed {
  readonly #stack: string;

  constructor(stack: string) {
    this.#stack = stack;
  }

  /** CloudFormation's status of it, such as `UPDATE_COMPLETE`. */
  async status(): Promise<string> {
    const command = new DescribeStacksCommand({ StackName: this.#stack });
    const { Stacks } = await new CloudFormationClient().send(command);
    return String(Stacks?.[0]?.StackStatus);
  }

  /** The pipe of outgoing events, and why it does not run. */
  async pipe(): Promise<{ name: string; state: string; reason: string | undefined }> {
    const name = await this.#pipeName();
    const pipe = await new PipesClient().send(new DescribePipeCommand({ Name: name }));
    return { name, state: String(pipe.CurrentState), reason: pipe.StateReason };
  }

  async #pipeName(): Promise<string> {
    const pages = paginateListStackResources(
      { client: new CloudFormationClient() },
      { StackName: this.#stack },
    );
    for await (const { StackResourceSummaries = [] } of pages) {
      const pipe = StackResourceSummaries.find((one) => one.ResourceType === 'AWS::Pipes::Pipe');
      if (pipe?.PhysicalResourceId) return pipe.PhysicalResourceId;
    }
    throw new Error(`The stack ${this.#stack} has no pipe.`);
  }
}
