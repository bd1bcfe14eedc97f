import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
} from 'aws-cdk-lib/aws-dynamodb';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Grant } from '../lib/table/grants.ts';
import { indexAttributes } from '../lib/table/keys.ts';

/** The one table. It outlives its stack: losing it is losing every organization's data. */
export const createTable = (scope: Construct): { table: Table; name: string } => {
  const table = new Table(scope, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    timeToLiveAttribute: 'expires_at',
    stream: StreamViewType.NEW_IMAGE,
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  for (const [indexName, attribute] of Object.entries(indexAttributes)) {
    table.addGlobalSecondaryIndex({
      indexName,
      partitionKey: { name: attribute, type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });
  }
  return { table, name: table.tableName };
};

/** Allows a role just these actions, on the table or on the index that each names. */
export const grantTable = (table: Table, role: IRole, grants: readonly Grant[]): void => {
  const resources = new Map<string, Set<string>>();
  for (const grant of grants) {
    const [action = '', index] = grant.split(' ');
    const arn = index ? `${table.tableArn}/index/${index}` : table.tableArn;
    resources.set(arn, (resources.get(arn) ?? new Set()).add(`dynamodb:${action}`));
  }
  for (const [arn, actions] of resources) {
    role.addToPrincipalPolicy(
      new PolicyStatement({ actions: [...actions].sort(), resources: [arn] }),
    );
  }
};
