import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { Command } from 'commander';
import { organizationKey } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/table.ts';
import { examples } from './arguments.ts';
import { print } from './output.ts';
import { openTarget } from './target.ts';

/** The partitions of all organizations begin with this, and each has one item with this sort key. */
const { pk: prefix, sk } = organizationKey('');

export const list = new Command('list')
  .description('list all organizations, oldest first: reads the whole table')
  .addHelpText('after', examples('organization list --stack LeadsAndStars --profile crm'))
  .action(async (_options: object, command: Command) => {
    await openTarget(command);
    const rows = (await readAll())
      .map(({ pk, name, created_at }) => ({
        organization_id: String(pk).slice(prefix.length),
        name: String(name),
        created_at: String(created_at),
      }))
      .sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
    print(command, rows, rows);
  });

const readAll = async (): Promise<Item[]> => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const pages = paginateScan(
    { client },
    {
      TableName: process.env.TABLE_NAME,
      ProjectionExpression: 'pk, #name, created_at',
      FilterExpression: 'sk = :sk',
      ExpressionAttributeNames: { '#name': 'name' },
      ExpressionAttributeValues: { ':sk': sk },
    },
  );
  const found: Item[] = [];
  for await (const { Items = [] } of pages) found.push(...Items);
  return found;
};
