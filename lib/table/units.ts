import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { TransactItem } from './table.ts';

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

/** What a write names: its whole item, or the key of one and some values. */
interface NamingWrite {
  Item?: object | undefined;
  Key?: object | undefined;
  ExpressionAttributeValues?: object | undefined;
}

/**
 * The units of the table that a transaction of these writes takes at least: two for each started KiB that a write names.
 * What else the item of an update, delete or check has is not counted. Neither are indexes: DynamoDB fills them only once a
 * transaction is carried out.
 */
export const estimatedUnits = (writes: readonly TransactItem[]): number =>
  writes
    .flatMap((write) => Object.values(write) as NamingWrite[])
    .reduce((sum, write) => sum + 2 * Math.ceil(namedBytes(write) / 1024), 0);

const namedBytes = ({ Item, Key, ExpressionAttributeValues }: NamingWrite): number =>
  attributeBytes(Item ?? { ...Key, ...ExpressionAttributeValues });

const attributeBytes = (attributes: object): number =>
  Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

const numberBytes = 21;

/** As DynamoDB counts the bytes of items, and for numbers the most that one can take. */
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
