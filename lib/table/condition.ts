/** An expression of DynamoDB. Each attribute goes by a placeholder, as names such as `role` are reserved. */
interface ConditionExpression {
  text: string;
  names: Readonly<Record<string, string>>;
  values: Readonly<Record<string, unknown>>;
}

/** All attributes, those that an item may lack, too: of types whose attributes are optional, any fits. */
type Whole<A> = { readonly [K in keyof A]-?: A[K] | undefined };

/** A condition on an item with the attributes `A`. */
export interface Condition<A> extends ConditionExpression {
  /** Never there. It keeps a condition from items that lack its attributes. */
  appliesTo?: (attributes: Whole<A>) => void;
}

const plain = (text: string): Condition<unknown> => ({ text, names: {}, values: {} });

/** Condition: there is no such item. */
export const absent = plain('attribute_not_exists(pk)');
/** Condition: there is such an item. */
export const present = plain('attribute_exists(pk)');

const comparisons = { '=': 'is', '<>': 'other', '<': 'below', '<=': 'most', '>': 'above' } as const;

/** Condition: an attribute compares so with a value. */
export const compare = <Name extends string, V>(
  name: Name,
  operator: keyof typeof comparisons,
  value: V,
): Condition<{ readonly [K in Name]?: V | undefined }> => ({
  text: `#${name} ${operator} :${name}_${comparisons[operator]}`,
  names: { [`#${name}`]: name },
  values: { [`:${name}_${comparisons[operator]}`]: value },
});

/** Condition: the item does not have an attribute, or there is no such item. */
export const lacks = <Name extends string>(
  name: Name,
): Condition<{ readonly [K in Name]?: unknown }> => ({
  text: `attribute_not_exists(#${name})`,
  names: { [`#${name}`]: name },
  values: {},
});

const join = (
  word: 'AND' | 'OR',
  conditions: readonly ConditionExpression[],
): ConditionExpression => ({
  text: `(${conditions.map(({ text }) => text).join(` ${word} `)})`,
  names: Object.assign({}, ...conditions.map(({ names }) => names)),
  values: withoutClash(conditions.flatMap(({ values }) => Object.entries(values))),
});

/** Throws if an attribute is compared with two values by the same operator: both would get the second value. */
const withoutClash = (values: readonly [string, unknown][]): Record<string, unknown> => {
  const all = new Map<string, unknown>();
  for (const [name, value] of values) {
    if (all.has(name) && all.get(name) !== value) throw new Error(`${name} has two values`);
    all.set(name, value);
  }
  return Object.fromEntries(all);
};

export const all = <A, B>(one: Condition<A>, other: Condition<B>): Condition<A & B> =>
  join('AND', [one, other]);
export const either = <A, B>(one: Condition<A>, other: Condition<B>): Condition<A & B> =>
  join('OR', [one, other]);

/** Condition: the item is at this version, so nobody has changed it since it was read. */
export const atVersion = (version: number) => compare('version', '=', version);

/** Condition: the item is as it was read; without a version, there was none. For kinds that do not store version 1. */
export const asRead = (version: number | undefined) => {
  if (version === undefined) return absent;
  return version === 1 ? all(present, lacks('version')) : atVersion(version);
};
