import { isDeepStrictEqual } from 'node:util';
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

const allHold = (item: Item | undefined, condition: string, around: Expressions): boolean => {
  const within = /^\((.+)\)$/.exec(condition)?.[1];
  if (within && isBalanced(within)) return allHold(item, within, around);
  const either = splitOutside(condition, ' OR ');
  if (either.length > 1) return either.some((one) => allHold(item, one, around));
  const all = splitOutside(condition, ' AND ');
  if (all.length > 1) return all.every((one) => allHold(item, one, around));
  return atomHolds(item, condition, around);
};

/** Whether no parenthesis is closed before it is opened, and each is closed. */
const isBalanced = (text: string): boolean => {
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth++;
    if (character === ')' && --depth < 0) return false;
  }
  return depth === 0;
};

/** Splits at the word, but not within parentheses. */
const splitOutside = (text: string, word: string): string[] => {
  const parts: string[] = [];
  for (const part of text.split(word)) {
    const last = parts.at(-1);
    if (last === undefined || isBalanced(last)) parts.push(part);
    else parts[parts.length - 1] = last + word + part;
  }
  return parts;
};

const atomHolds = (item: Item | undefined, atom: string, around: Expressions): boolean => {
  const [, not, path] = /^attribute_(not_)?exists\((.+)\)$/.exec(atom) ?? [];
  if (path) return (get(item, path, around) === undefined) === Boolean(not);
  const [, left, comparison, value] = /^(\S+) (=|<>) (:\w+)$/.exec(atom) ?? [];
  if (!left) throw new Error(`the condition ${atom} is not simulated`);
  const isEqual = isDeepStrictEqual(
    get(item, left, around),
    around.ExpressionAttributeValues?.[value!],
  );
  return isEqual === (comparison === '=');
};

/** The item after an update. */
export const applyUpdate = (item: Item, around: Expressions): Item => {
  const next = structuredClone(item);
  const [, ...clauses] = (around.UpdateExpression ?? '').split(/(?:^| )(SET|ADD|REMOVE) /);
  for (let i = 0; i < clauses.length; i += 2) {
    for (const part of clauses[i + 1]!.split(', ')) updateOne(next, clauses[i]!, part, around);
  }
  return next;
};

const updateOne = (item: Item, clause: string, part: string, around: Expressions): void => {
  const [, path, isSet, value] = /^(\S+)(?:( =)? (:\w+))?$/.exec(part) ?? [];
  if (!path || (clause === 'SET') !== Boolean(isSet)) {
    throw new Error(`the update ${clause} ${part} is not simulated`);
  }
  const operand = around.ExpressionAttributeValues?.[value ?? ''];
  const sum = () => Number(get(item, path, around) ?? 0) + Number(operand);
  put(item, path, clause === 'ADD' ? sum() : operand, around);
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
