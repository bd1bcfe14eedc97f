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
import type { Grant } from '../lib/table/grants.ts';
import { leadIndexKeys } from '../lib/table/indexes/lead-indexes.ts';
import { callerPrefixes, changeIndex, userIndex } from '../lib/table/keys.ts';
import { restoredStream, type StackOptions } from './options.ts';

export interface ServiceTable {
  table: ITable;
  name: string;
  /** Tells a restored table from the table before it: each restore has another text, also under the same name. */
  identity: string | undefined;
}

// docs/decisions/one-table.md
/**
 * The service's table. It outlives its stack, as it has every organization's data. With a stream in the options, it is an
 * existing table that was restored from a backup.
 */
export const createTable = (
  scope: Construct,
  { table_stream_arn: stream }: StackOptions,
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
 * Allows a role just these grants: an action on the table or on the index that each names, or in the partitions whose keys begin
 * as it says.
 */
export const grantTable = ({ tableArn }: ITable, role: IRole, grants: readonly Grant[]): void => {
  const statements = new Map<string, { target: GrantedTable; actions: string[] }>();
  for (const [action, alike] of Map.groupBy(new Set(grants), actionOf)) {
    const places = alike.map(placeOf).sort();
    const targets: GrantedTable[] = writes.includes(action)
      ? [{ arn: tableArn, prefixes: places }]
      : places.map((index) => ({ arn: index ? `${tableArn}/index/${index}` : tableArn }));
    for (const target of targets) {
      const name = JSON.stringify(target);
      const { actions } = statements.get(name) ?? { actions: [] };
      const all = action === 'GetItem' ? [action, 'BatchGetItem'] : [action];
      statements.set(name, { target, actions: [...actions, ...all] });
    }
  }
  for (const { target, actions } of statements.values()) {
    const { arn, prefixes } = target;
    role.addToPrincipalPolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`).sort(),
        resources: [arn],
        ...(prefixes && { conditions: leadingKeys('ForAllValues', prefixes) }),
      }),
    );
  }
};

/** A table or an index; with prefixes, only the items whose partition keys begin with one of them. */
interface GrantedTable {
  arn: string;
  prefixes?: string[];
}

const writes = ['DeleteItem', 'PutItem', 'UpdateItem'];
const reads = ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'Query'];

const actionOf = (grant: Grant): string => grant.split(' ')[0] ?? '';
const placeOf = (grant: Grant): string => grant.split(' ')[1] ?? '';

/**
 * Keeps a role from reading what proves who calls, whatever else it is granted: the keys of the platform and of organizations,
 * members, and the issuer's keys. No index has them but that of members by user. Nobody may write what is not granted.
 */
export const hideCallers = ({ tableArn }: ITable, role: IRole): void =>
  void role.addToPrincipalPolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      actions: reads.map((action) => `dynamodb:${action}`),
      resources: [tableArn],
      conditions: leadingKeys('ForAnyValue', callerPrefixes),
    }),
  );

const leadingKeys = (quantifier: 'ForAllValues' | 'ForAnyValue', prefixes: readonly string[]) => ({
  [`${quantifier}:StringLike`]: { 'dynamodb:LeadingKeys': prefixes.map((one) => `${one}*`) },
});
