import { account, busArn, queueUrl, region, tableArn } from '../account.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON of many shapes.
export type TemplateResource = { Type: string; Properties: Record<string, any> };

export type Resources = Record<string, TemplateResource>;

/** The resources of a type, by logical id. */
export const ofType = (resources: Resources, type: string): [string, TemplateResource][] =>
  Object.entries(resources).filter(([, resource]) => resource.Type === type);

export type Resolve = (value: unknown) => unknown;

const pseudoParameters: Record<string, string> = {
  'AWS::Partition': 'aws',
  'AWS::Region': region,
  'AWS::AccountId': account,
  'AWS::URLSuffix': 'amazonaws.com',
};

/** Name of a stack's one table, where it runs on this machine: the stack's, as `my-app` of `MyApp`. */
const tableOf = (stack: string): string =>
  stack.replace(/(?<=.)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();

/** Resolves the intrinsic functions that the runner knows, as CloudFormation would. */
export const resolver = (resources: Resources, stack: string): Resolve => {
  const tableName = tableOf(stack);
  const isTable = (id: string) => resources[id]?.Type === 'AWS::DynamoDB::Table';
  const isBus = (id: string) => resources[id]?.Type === 'AWS::Events::EventBus';

  const referred = (id: string): string => {
    if (isTable(id)) return tableName;
    const resource = resources[id];
    if (resource?.Type === 'AWS::SQS::Queue') return queueUrl(id);
    return resource && isBus(id) ? resource.Properties.Name : id;
  };

  const intrinsics: Record<string, (argument: never) => unknown> = {
    Ref: (id: string) => pseudoParameters[id] ?? referred(id),
    'Fn::GetAtt': ([id, attribute]: [string, string]) => {
      if (attribute === 'Arn' && isTable(id)) return tableArn(tableName);
      if (attribute === 'Arn' && isBus(id)) return busArn(referred(id));
      return `${id}.${attribute}`;
    },
    'Fn::Join': ([separator, parts]: [string, unknown[]]) => parts.map(resolve).join(separator),
  };

  const resolve: Resolve = (value) => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [[name, argument] = ['', undefined]] = entries;
    const intrinsic = entries.length === 1 ? intrinsics[name] : undefined;
    if (intrinsic) return intrinsic(argument as never);
    if (name.startsWith('Fn::')) throw new Error(`the runner does not know ${name}`);
    return Object.fromEntries(entries.map(([key, inner]) => [key, resolve(inner)]));
  };
  return resolve;
};
