import { tableArn } from '../account.ts';
import type { Statement } from '../template/functions.ts';

/** One IAM action on one resource that a DynamoDB request needs. */
export interface Access {
  action: string;
  resource: string;
  /** The partition keys of the items, as far as the runner can read them in the request. */
  leadingKeys?: string[];
}

type Value = { S?: string };
type Keyed = Record<string, Value>;

interface OneItem {
  TableName: string;
  IndexName?: string;
  Key?: Keyed;
  Item?: Keyed;
  KeyConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, Value>;
}

type Body = OneItem & {
  RequestItems?: Record<string, { Keys: Keyed[] }>;
  TransactItems?: Record<string, OneItem>[];
};

/** The permission that each part of a transaction needs: there is none for the transaction itself. */
const transactActions: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/**
 * The permissions that AWS would ask for, by the operation and body of a request to DynamoDB. `partitionKey` is the
 * name of that attribute. No role allows what is read of a `BatchWriteItem` or `TransactGetItems`: no function sends them.
 */
export const accessesOf = (operation: string, body: Body, partitionKey: string): Access[] => {
  const access = (action: string, item: OneItem, keys?: (Value | undefined)[]): Access => {
    const { TableName, IndexName, Key, Item } = item;
    const values = keys ?? [(Key ?? Item)?.[partitionKey] ?? queried(item, partitionKey)];
    const leadingKeys = values.map((value) => value?.S);
    return {
      action: `dynamodb:${action}`,
      resource: IndexName ? `${tableArn(TableName)}/index/${IndexName}` : tableArn(TableName),
      ...(leadingKeys.every((key) => key !== undefined) && { leadingKeys }),
    };
  };
  if (operation === 'TransactWriteItems') {
    return (body.TransactItems ?? []).flatMap((item) =>
      Object.entries(item).map(([kind, one]) => access(transactActions[kind] ?? kind, one)),
    );
  }
  if (operation === 'BatchGetItem') {
    return Object.entries(body.RequestItems ?? {}).map(([TableName, { Keys }]) =>
      access(
        operation,
        { TableName },
        Keys.map((key) => key[partitionKey]),
      ),
    );
  }
  return [access(operation, body)];
};

/** The partition of the table that a query is for, where its condition names it as `pk = :pk` or `#pk = :pk`. */
const queried = (item: OneItem, partitionKey: string): Value | undefined => {
  const { KeyConditionExpression = '', ExpressionAttributeNames: names = {} } = item;
  const equalities = KeyConditionExpression.matchAll(/(?<name>#?\w+) = (?<value>:\w+)/g);
  for (const { groups: { name = '', value = '' } = {} } of equalities) {
    if ((names[name] ?? name) === partitionKey) return item.ExpressionAttributeValues?.[value];
  }
  return undefined;
};

/**
 * Whether a role's statements allow an access, and none denies it. Names are matched whole: a wildcard allows nothing.
 * Where the runner can't read which items a request is for, a condition on them allows nothing and denies all.
 */
export const allows = (statements: readonly Statement[], access: Access): boolean => {
  const fits = ({ actions, resources }: Statement) =>
    actions.includes(access.action) && resources.includes(access.resource);
  const { leadingKeys: keys } = access;
  const isAllowed = ({ leadingKeys }: Statement) =>
    !leadingKeys || (keys?.every((key) => beginsWithOne(key, leadingKeys)) ?? false);
  const isDenied = ({ leadingKeys }: Statement) =>
    !leadingKeys || (keys?.some((key) => beginsWithOne(key, leadingKeys)) ?? true);
  const fitting = statements.filter(fits);
  return (
    fitting.some((one) => one.effect === 'Allow' && isAllowed(one)) &&
    !fitting.some((one) => one.effect === 'Deny' && isDenied(one))
  );
};

const beginsWithOne = (key: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => key.startsWith(prefix));

/** How the keys of an access begin, of the beginnings that a role's statements name. */
export const prefixesOf = (
  statements: readonly Statement[],
  { action, leadingKeys: keys = [] }: Access,
): string[] => {
  const own = statements.filter(
    ({ effect, actions }) => effect === 'Allow' && actions.includes(action),
  );
  const prefixes = own.flatMap(({ leadingKeys }) => leadingKeys ?? []);
  return prefixes.filter((prefix) => keys.some((key) => key.startsWith(prefix)));
};
