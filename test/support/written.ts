import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type StreamRecord, streamArnOf, TableStream } from '@leads-and-stars/runner';
import { inject } from 'vitest';
import type { Item } from '../../lib/table/table.ts';

// What has been written since this was loaded, by the table's stream: a scan would read what all other tests have
// written, too, each time.

const { tableEndpoint, tableName } = inject('service');
const arn = await streamArnOf(tableEndpoint, tableName);
const stream = await TableStream.open(tableEndpoint, arn, { from: 'LATEST' });
const items = new Map<string, Item>();

const take = async (records: readonly StreamRecord[]): Promise<void> => {
  for (const { dynamodb } of records) {
    const { pk, sk } = itemOf(dynamodb.Keys);
    if (dynamodb.NewImage) items.set(`${pk} ${sk}`, itemOf(dynamodb.NewImage));
    else items.delete(`${pk} ${sk}`);
  }
};

const itemOf = (image: object): Item => unmarshall(image as Parameters<typeof unmarshall>[0]);

const readOn = async (): Promise<void> => {
  while ((await stream.read(take)) > 0);
};

let reading = Promise.resolve();

/** Every item that there is of those that were written, … */
const written = async (isWanted: (item: Item) => boolean): Promise<Item[]> => {
  reading = reading.then(readOn);
  await reading;
  return [...items.values()].filter(isWanted);
};

/** … whose partition key begins so. */
export const writtenUnder = (prefix: string): Promise<Item[]> =>
  written(({ pk }) => String(pk).startsWith(prefix));

/** … that names an organization in its keys. */
export const writtenOf = (organizationId: string): Promise<Item[]> =>
  written(({ pk, sk }) => `${pk} ${sk}`.includes(organizationId));
