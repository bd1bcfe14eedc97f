import { tableArn } from '../account.ts';
import type { Statement } from '../template/functions.ts';

/** One IAM action on one resource that a DynamoDB request needs. */
export interface Access {
  action: string;
  resource: string;
}

type Body = {
  TableName: string;
  IndexName?: string;
  RequestItems?: Record<string, unknown>;
  TransactItems?: Record<string, { TableName: string }>[];
};

/** What of a transaction needs which permission: there is none for the transaction itself. */
const transactActions: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

/** The permissions that AWS would ask for, by the operation and body of a request to DynamoDB. */
export const accessesOf = (operation: string, body: Body): Access[] => {
  const access = (action: string, table: string, index?: string): Access => ({
    action: `dynamodb:${action}`,
    resource: index ? `${tableArn(table)}/index/${index}` : tableArn(table),
  });
  if (operation === 'TransactWriteItems' || operation === 'TransactGetItems') {
    return (body.TransactItems ?? []).flatMap((item) =>
      Object.entries(item).map(([kind, { TableName }]) =>
        access(transactActions[kind] ?? kind, TableName),
      ),
    );
  }
  if (operation === 'BatchGetItem' || operation === 'BatchWriteItem') {
    return Object.keys(body.RequestItems ?? {}).map((table) => access(operation, table));
  }
  return [access(operation, body.TableName, body.IndexName)];
};

/** Whether a role's statements allow an access. Names are matched whole: a wildcard allows nothing. */
export const allows = (statements: readonly Statement[], { action, resource }: Access): boolean =>
  statements.some(
    ({ actions, resources }) => actions.includes(action) && resources.includes(resource),
  );
