import { APIGatewayClient, GetExportCommand } from '@aws-sdk/client-api-gateway';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import {
  GetAccountSettingsCommand,
  GetEventSourceMappingCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { GetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns';

/** The REST API of a deployed stack. */
export interface DeployedApi {
  /** As API Gateway serves it: an OpenAPI document. */
  exported: unknown;
  /** The document in the stack's template. */
  template: unknown;
  /** The name of a function or a role, from an ARN or a reference to a resource of the stack. */
  nameOf(value: unknown): string;
}

interface Template {
  // biome-ignore lint/suspicious/noExplicitAny: properties of every shape.
  Resources: Record<string, { Type: string; Properties: any }>;
}

/** What AWS says of a deployed stack. */
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

  /** How many are told of its alarms, and how many have not said yet that they want to be. */
  async alarmListeners(): Promise<{ confirmed: number; pending: number }> {
    const command = new GetTopicAttributesCommand({ TopicArn: this.#alarmTopic });
    const { Attributes = {} } = await new SNSClient().send(command);
    const { SubscriptionsConfirmed, SubscriptionsPending } = Attributes;
    return { confirmed: Number(SubscriptionsConfirmed), pending: Number(SubscriptionsPending) };
  }

  /** The stack's REST API, and what the template says of that. */
  async api(): Promise<DeployedApi> {
    const resources = await this.#resources();
    const template = await this.#template();
    const only = (type: string) =>
      Object.values(template.Resources).find(({ Type }) => Type === type)?.Properties;
    const [restApiId] = await this.#made('AWS::ApiGateway::RestApi');
    const { body } = await new APIGatewayClient().send(
      new GetExportCommand({
        restApiId,
        stageName: only('AWS::ApiGateway::Stage')?.StageName,
        exportType: 'oas30',
        accepts: 'application/json',
        parameters: { extensions: 'apigateway' },
      }),
    );
    const ids = new Map(resources.map((one) => [one.LogicalResourceId, one.PhysicalResourceId]));
    return {
      exported: JSON.parse(new TextDecoder().decode(body)),
      template: only('AWS::ApiGateway::RestApi')?.Body,
      nameOf: (value) => {
        const text = JSON.stringify(value) ?? 'none';
        const [, id] = /"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(text) ?? [];
        if (id !== undefined) return String(ids.get(id));
        return /(?::function:|:role\/)([\w-]+)/.exec(text)?.[1] ?? text;
      },
    };
  }

  /** The template that it was deployed from. */
  async #template(): Promise<Template> {
    const command = new GetTemplateCommand({ StackName: this.#stack });
    const { TemplateBody } = await new CloudFormationClient().send(command);
    return JSON.parse(String(TemplateBody));
  }

  async #resources(): Promise<StackResourceSummary[]> {
    const pages = paginateListStackResources(
      { client: new CloudFormationClient() },
      { StackName: this.#stack },
    );
    const all: StackResourceSummary[] = [];
    for await (const { StackResourceSummaries = [] } of pages) all.push(...StackResourceSummaries);
    return all;
  }

  /** The ids of the stack's resources of a type. Throws where it has none. */
  async #made(type: string): Promise<string[]> {
    const made = (await this.#resources()).filter(({ ResourceType }) => ResourceType === type);
    if (made.length === 0) throw new Error(`The stack ${this.#stack} has no ${type}.`);
    return made.flatMap(({ PhysicalResourceId }) => PhysicalResourceId ?? []);
  }
}
