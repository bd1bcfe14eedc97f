import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  StreamViewType,
  Table,
} from 'aws-cdk-lib/aws-dynamodb';
import { Effect, type IRole, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { leadIndexKeys } from '../lib/table/indexes/lead-indexes.ts';
import {
  changeIndex,
  type GuardedPartitions,
  guarded,
  issuerPrefix,
  platformPrefix,
  userIndex,
} from '../lib/table/keys.ts';
import type { Grant } from '../lib/table/table.ts';
import { type Options, restoredStream } from './options.ts';

export interface ServiceTable {
  table: ITable;
  name: string;
  /** What tells a restored table from the one before: another text at each restore, also under the same name. */
  identity: string | undefined;
}

// docs/decisions/one-table.md
/**
 * The one table. It outlives its stack, as it has every organization's data. With a stream in the options it is an
 * existing one, restored from a backup.
 */
export const createTable = (
  scope: Construct,
  { table_stream_arn: stream }: Options,
): ServiceTable => {
  const [, tableArn, name] = restoredStream.exec(stream ?? '') ?? [];
  if (!stream || !tableArn || !name) return newTable(scope);
  const attributes = { tableArn, tableStreamArn: stream };
  const table = Table.fromTableAttributes(scope, 'RestoredTable', attributes);
  return { table, name, identity: stream };
};

const newTable = (scope: Construct): ServiceTable => {
  const table = new Table(scope, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    timeToLiveAttribute: 'expires_at',
    stream: StreamViewType.NEW_AND_OLD_IMAGES,
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  // CloudFormation adds one index in a deployment: a release that has two more needs two deployments.
  for (const { name: indexName, partitionKey, sortKey } of leadIndexKeys) {
    table.addGlobalSecondaryIndex({
      indexName,
      partitionKey: { name: partitionKey, type: AttributeType.STRING },
      sortKey: { name: sortKey, type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });
  }
  table.addGlobalSecondaryIndex({
    indexName: userIndex.name,
    partitionKey: { name: userIndex.partitionKey, type: AttributeType.STRING },
    sortKey: { name: userIndex.sortKey, type: AttributeType.STRING },
    projectionType: ProjectionType.KEYS_ONLY,
  });
  table.addGlobalSecondaryIndex({
    indexName: changeIndex.name,
    partitionKey: { name: changeIndex.partitionKey, type: AttributeType.STRING },
    sortKey: { name: changeIndex.sortKey, type: AttributeType.NUMBER },
    projectionType: ProjectionType.ALL,
  });
  // The class has undefined where the interface has nothing, so their types differ.
  return { table: table as ITable, name: table.tableName, identity: undefined };
};

/** Allows a role to read the table's stream. */
export const grantStream = (table: ITable, role: Role): void => {
  const actions = ['DescribeStream', 'GetRecords', 'GetShardIterator'];
  role.addToPrincipalPolicy(
    new PolicyStatement({
      actions: actions.map((action) => `dynamodb:${action}`),
      resources: [table.tableStreamArn ?? ''],
    }),
  );
  // IAM knows no resource of this action: on the stream alone, it allows nothing.
  role.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
  );
};

/**
 * Allows a role just these actions, on the table or on the index that each names. With a prefix, just on the items
 * whose partition key begins with it.
 */
export const grantTable = (
  table: ITable,
  role: IRole,
  grants: readonly Grant[],
  prefix?: string,
): void => {
  const resources = new Map<string, Set<string>>();
  for (const grant of grants) {
    const [action = '', index] = grant.split(' ');
    const arn = index ? `${table.tableArn}/index/${index}` : table.tableArn;
    const actions = resources.get(arn) ?? new Set();
    resources.set(arn, actions.add(`dynamodb:${action}`));
    if (action === 'GetItem') actions.add('dynamodb:BatchGetItem');
  }
  for (const [arn, actions] of resources) {
    role.addToPrincipalPolicy(
      new PolicyStatement({
        actions: [...actions].sort(),
        resources: [arn],
        ...(prefix && { conditions: leadingKeys('ForAllValues', prefix) }),
      }),
    );
  }
};

const writes = ['DeleteItem', 'PutItem', 'UpdateItem'];
const reads = ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'Query'];

interface Protection {
  /** To check a caller, what proves who calls is read. */
  readable: boolean;
  renewsIssuerKeys: boolean;
  writes?: readonly GuardedPartitions[] | undefined;
}

/**
 * Keeps a role from what says who may call, whatever else it is granted: who could write the issuer's keys, the platform's,
 * API keys or members could be anyone. No index has them but that of members by user, which nobody writes.
 */
export const protectCallers = (
  { tableArn }: ITable,
  role: IRole,
  { readable, renewsIssuerKeys, writes: written = [] }: Protection,
): void => {
  const actions = readable ? writes : [...reads, ...writes];
  const closed = Object.entries(guarded).filter(([name]) => !written.some((one) => one === name));
  const prefixes = [
    ...(renewsIssuerKeys ? [] : [issuerPrefix]),
    platformPrefix,
    ...closed.map(([, prefix]) => prefix),
  ];
  role.addToPrincipalPolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      actions: actions.map((action) => `dynamodb:${action}`),
      resources: [tableArn],
      conditions: leadingKeys('ForAnyValue', ...prefixes),
    }),
  );
};

const leadingKeys = (quantifier: 'ForAllValues' | 'ForAnyValue', ...prefixes: string[]) => ({
  [`${quantifier}:StringLike`]: { 'dynamodb:LeadingKeys': prefixes.map((one) => `${one}*`) },
});
