import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { leadIndexKeys } from './indexes/lead-indexes.ts';
import { changeIndex, userIndex } from './keys.ts';

/** Capacity units of DynamoDB. */
export interface Units {
  read: number;
  written: number;
}

/** A response of DynamoDB. */
export interface WithCapacity {
  ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] | undefined;
}

/** The units that DynamoDB says it took, of table and indexes. */
export const unitsOf = ({ ConsumedCapacity: consumed }: WithCapacity): number =>
  [consumed ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);

/** The units of a strongly consistent read of an item by its key, by its bytes. */
export const readUnitsOf = (item: object | undefined): number =>
  Math.max(1, Math.ceil(attributeBytes(item ?? {}) / 4096));

/** The names in a write: its whole item, or the key of an item and some values. */
interface NamingWrite {
  Item?: object | undefined;
  Key?: object | undefined;
  ExpressionAttributeValues?: object | undefined;
}

/** A write, and the item that was there before, where that is known. */
interface SizedWrite {
  Put?: NamingWrite | undefined;
  Update?: NamingWrite | undefined;
  Delete?: NamingWrite | undefined;
  ConditionCheck?: NamingWrite | undefined;
  was?: object | undefined;
}

/**
 * The units of the table that a transaction of these writes takes at least: two for each started KiB of an item. Of an item
 * that is not known, what the write names counts. Indexes don't count: DynamoDB fills them only once a transaction is
 * carried out.
 */
export const estimatedUnits = (writes: readonly SizedWrite[]): number =>
  writes.reduce((sum, write) => sum + 2 * toKiB(writtenBytes(write)), 0);

/** The units that a transaction of these writes takes once it is carried out: those of the table, and those of its indexes. */
export const expectedUnits = (writes: readonly SizedWrite[]): number =>
  writes.reduce((sum, write) => sum + indexUnits(write), estimatedUnits(writes));

/**
 * One unit for each started KiB of an item, or of what was there, in each index that has it. A move within an index takes
 * more.
 */
const indexUnits = ({ Put, was }: SizedWrite): number => {
  const item = Put?.Item ?? was;
  if (!item) return 0;
  const indexes = indexKeys.filter(
    ({ partitionKey, sortKey }) => has(item, partitionKey) && has(item, sortKey),
  );
  const bytes = Math.max(attributeBytes(item), attributeBytes(was ?? {}));
  return indexes.length * toKiB(bytes);
};

const indexKeys = [...leadIndexKeys, userIndex, changeIndex];

const has = (item: object, name: string): boolean =>
  // The key of an item that was there is not among what is known of it.
  name === 'sk' || (item as Record<string, unknown>)[name] !== undefined;

const toKiB = (bytes: number): number => Math.ceil(bytes / 1024);

const writtenBytes = ({ Put, Update, Delete, ConditionCheck, was }: SizedWrite): number => {
  const { Item, Key, ExpressionAttributeValues } = Put ?? Update ?? Delete ?? ConditionCheck ?? {};
  const named = attributeBytes(Item ?? { ...Key, ...ExpressionAttributeValues });
  return was ? Math.max(named, attributeBytes({ ...Key, ...was })) : named;
};

const attributeBytes = (attributes: object): number =>
  Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

const numberBytes = 21;

/** The bytes of a value as DynamoDB counts them; for a number, the most that a number can take. */
const valueBytes = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number' || typeof value === 'bigint') return numberBytes;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 1;
  const elements = Object.values(value).length;
  return 3 + elements + (Array.isArray(value) ? listBytes(value) : attributeBytes(value));
};

const listBytes = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => sum + valueBytes(value), 0);
