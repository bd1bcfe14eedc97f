import { tableArn } from '../account.ts';
import type { Statement } from '../template/functions.ts';

/** One IAM action on one resource that a DynamoDB request needs. */
export interface Access {
  action: string;
  resource: string;
  /** The partition key of the item, where the request names one. */
  leadingKey?: string | undefined;
}

type Keyed = Record<string, { S?: string }>;

type Body = {
  TableName: string;
  IndexName?: string;
  Key?: Keyed;
  Item?: Keyed;
  RequestItems?: Record<string, unknown>;
  TransactItems?: Record<string, { TableName: string; Key?: Keyed; Item?: Keyed }>[];
};

/** What of a transaction needs which permission: there is none for the transaction itself. */
const transactActions: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

/**
 * The permissions that AWS would ask for, by the operation and body of a request to DynamoDB. `partitionKey` is the
 * name of that attribute.
 */
export const accessesOf = (operation: string, body: Body, partitionKey: string): Access[] => {
  const access = (action: string, { TableName, IndexName, Key, Item }: Body): Access => ({
    action: `dynamodb:${action}`,
    resource: IndexName ? `${tableArn(TableName)}/index/${IndexName}` : tableArn(TableName),
    leadingKey: (Key ?? Item)?.[partitionKey]?.S,
  });
  if (operation === 'TransactWriteItems' || operation === 'TransactGetItems') {
    return (body.TransactItems ?? []).flatMap((item) =>
      Object.entries(item).map(([kind, one]) => access(transactActions[kind] ?? kind, one)),
    );
  }
  if (operation === 'BatchGetItem' || operation === 'BatchWriteItem') {
    return Object.keys(body.RequestItems ?? {}).map((TableName) =>
      access(operation, { TableName }),
    );
  }
  return [access(operation, body)];
};

/** Whether a role's statements allow an access. Names are matched whole: a wildcard allows nothing. */
export const allows = (
  statements: readonly Statement[],
  { action, resource, leadingKey }: Access,
): boolean =>
  statements.some(
    ({ actions, resources, leadingKeys }) =>
      actions.includes(action) &&
      resources.includes(resource) &&
      (leadingKeys?.some((prefix) => leadingKey?.startsWith(prefix)) ?? true),
  );
