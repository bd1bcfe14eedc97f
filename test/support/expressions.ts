import type { Item } from '../../lib/table/table.ts';

/** What DynamoDB is told of one item, as far as it is simulated. */
export interface Expressions {
  UpdateExpression?: string;
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

/** Whether a condition holds for an item, or for none. */
export const holds = (item: Item | undefined, expressions: Expressions): boolean => {
  const { ConditionExpression: condition } = expressions;
  return condition === undefined || allHold(item, condition, expressions);
};

const allHold = (item: Item | undefined, condition: string, around: Expressions): boolean =>
  condition.split(/ AND (?![^(]*\w \()/).every((part) =>
    part
      .replace(/^\((.+)\)$/, '$1')
      .split(' OR ')
      .some((one) => atomHolds(item, one, around)),
  );

const atomHolds = (item: Item | undefined, atom: string, around: Expressions): boolean => {
  const [, not, path] = /^attribute_(not_)?exists\((.+)\)$/.exec(atom) ?? [];
  if (path) return (get(item, path, around) === undefined) === Boolean(not);
  const [, left, comparison, value] = /^(\S+) (=|<>) (:\w+)$/.exec(atom) ?? [];
  if (!left) throw new Error(`the condition ${atom} is not simulated`);
  const isEqual = get(item, left, around) === around.ExpressionAttributeValues?.[value!];
  return isEqual === (comparison === '=');
};

/** The item after an update. */
export const applyUpdate = (item: Item, around: Expressions): Item => {
  const [, sets = '', removes = ''] =
    /^SET (.+?)(?: REMOVE (.+))?$/.exec(around.UpdateExpression ?? '') ?? [];
  const next = structuredClone(item);
  for (const set of sets.split(', ')) {
    const [, path, base, value] = /^(\S+) = (?:(\S+) \+ )?(:\w+)$/.exec(set) ?? [];
    if (!path) throw new Error(`the update ${set} is not simulated`);
    const operand = around.ExpressionAttributeValues?.[value!];
    put(next, path, base ? Number(get(item, base, around)) + Number(operand) : operand, around);
  }
  for (const path of removes ? removes.split(', ') : []) put(next, path, undefined, around);
  return next;
};

const namesOf = (path: string, { ExpressionAttributeNames: names }: Expressions): string[] =>
  path.split('.').map((part) => names?.[part] ?? part);

const get = (item: Item | undefined, path: string, around: Expressions): unknown =>
  namesOf(path, around).reduce<unknown>((value, name) => (value as Item | undefined)?.[name], item);

const put = (item: Item, path: string, value: unknown, around: Expressions): void => {
  const names = namesOf(path, around);
  const last = names.pop()!;
  const parent = names.reduce<Item>((one, name) => one[name] as Item, item);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
};
