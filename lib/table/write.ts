import type { Condition } from './condition.ts';
import type { ItemKey } from './kind.ts';
import { type Key, toKey } from './place.ts';
import { type Item, nameOf, type Write } from './table.ts';

/**
 * On what a write stands, and what it means if that does not hold: `refused` is given the item that is there. `was` is that
 * item as it is known, for an estimate of what the write takes.
 */
interface Terms<A> {
  condition?: Condition<A> | undefined;
  refused?: ((existing: (Key & A) | undefined) => Error) | undefined;
  was?: object | undefined;
}

/** A condition, and what beside it needs names and values. DynamoDB refuses an empty map of either. */
const toExpressions = <A>(
  condition: Condition<A> | undefined,
  moreNames: Readonly<Record<string, string>> = {},
  moreValues: Readonly<Record<string, unknown>> = {},
) => {
  const names = { ...moreNames, ...condition?.names };
  const values = { ...moreValues, ...condition?.values };
  return {
    ...(condition && { ConditionExpression: condition.text }),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
};

/** The parts of a write beside its expressions. */
const aroundWrite = <A>(key: ItemKey<A>, { refused, was }: Terms<A>) => ({
  ...(refused && { refused: (existing: Item | undefined) => refused(key.read(existing)) }),
  ...(was && { was }),
  ...(key.hasFacts && { thing: nameOf(key) }),
});

/** A write of a thing of which no fact tells: a counter, a lease, how far a delivery is. */
export const withoutFact = <W extends { thing?: string }>({ thing: _, ...write }: W): W =>
  write as W;

/** Puts an item, in place of any that is there. What is undefined is not stored. */
export const put = <A extends object>(
  key: ItemKey<A>,
  attributes: NoInfer<A>,
  terms: Terms<A> = {},
): Write<'PutItem'> => ({
  Put: { Item: key.item(attributes), ...toExpressions(terms.condition) },
  ...aroundWrite(key, terms),
});

export const remove = <A>(key: ItemKey<A>, terms: Terms<A> = {}): Write<'DeleteItem'> => ({
  Delete: { Key: toKey(key), ...toExpressions(terms.condition) },
  ...aroundWrite(key, terms),
});

/** Writes nothing: it refuses the transaction if its condition does not hold. */
export const check = <A>(
  key: ItemKey<A>,
  condition: Condition<A>,
  refused: (existing: (Key & A) | undefined) => Error,
): Write<'ConditionCheckItem'> => ({
  ConditionCheck: {
    Key: toKey(key),
    ConditionExpression: condition.text,
    ...toExpressions(condition),
  },
  refused: (existing) => refused(key.read(existing)),
});

type NumberIn<A> = {
  [K in keyof A]: Exclude<A[K], undefined> extends number | bigint ? K : never;
}[keyof A];
type MapIn<A> = { [K in keyof A]: A[K] extends Record<string, unknown> ? K : never }[keyof A];

/** The change of an item by an update; attributes that it does not name stay. */
export interface ItemChange<A> {
  /** An attribute that is undefined is removed. */
  set?: { readonly [K in keyof A]?: A[K] } | undefined;
  /** Adds to numbers: a number that is not there counts as 0. */
  add?: { readonly [K in NumberIn<A>]?: number | bigint } | undefined;
  remove?: readonly (keyof A & string)[] | undefined;
  /** Removes these keys from maps. */
  removeKeys?: { readonly [K in MapIn<A>]?: readonly string[] } | undefined;
}

/** Changes an item, or makes it. */
export const update = <A extends object>(
  key: ItemKey<A>,
  change: ItemChange<NoInfer<A>>,
  terms: Terms<A> = {},
): Write<'UpdateItem'> => ({
  Update: { Key: toKey(key), ...toUpdate(change, terms.condition) },
  ...aroundWrite(key, terms),
});

/** The expressions of an update. */
export const toUpdate = <A>(change: ItemChange<A>, condition?: Condition<A>) => {
  const { set = {}, add = {}, remove: removed = [], removeKeys = {} } = change;
  const toSet = Object.entries(set).filter(([, value]) => value !== undefined);
  const toAdd = Object.entries(add);
  const absent = Object.entries(set).filter(([, value]) => value === undefined);
  const toRemove = [...removed, ...absent.map(([name]) => name)];
  const keys = Object.entries<readonly string[]>(removeKeys).flatMap(([map, all]) =>
    all.map((key, i) => ({ map, key, placeholder: `#${map}_${i}` })),
  );
  const clauses = [
    ['SET', toSet.map(([name]) => `#${name} = :${name}_set`)],
    ['ADD', toAdd.map(([name]) => `#${name} :${name}_add`)],
    [
      'REMOVE',
      [
        ...toRemove.map((name) => `#${name}`),
        ...keys.map(({ map, placeholder }) => `#${map}.${placeholder}`),
      ],
    ],
  ] as const;
  const attributes = [...toSet, ...toAdd].map(([name]) => name).concat(toRemove);
  const names: [string, string][] = [
    ...[...attributes, ...keys.map(({ map }) => map)].map((name): [string, string] => [
      `#${name}`,
      name,
    ]),
    ...keys.map(({ placeholder, key }): [string, string] => [placeholder, key]),
  ];
  const values = [
    ...toSet.map(([name, value]) => [`:${name}_set`, value]),
    ...toAdd.map(([name, value]) => [`:${name}_add`, value]),
  ];
  return {
    UpdateExpression: clauses
      .filter(([, parts]) => parts.length > 0)
      .map(([word, parts]) => `${word} ${parts.join(', ')}`)
      .join(' '),
    ...toExpressions(condition, Object.fromEntries(names), Object.fromEntries(values)),
  };
};
