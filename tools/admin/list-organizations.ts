import { Command } from 'commander';
import { organizationKey } from '../../lib/table/keys.ts';
import { examples } from './arguments.ts';
import { print } from './output.ts';
import { scan } from './scan.ts';
import { openTarget } from './target.ts';

/** The partitions of all organizations begin with this, and each has one item with this sort key. */
const { pk: prefix, sk } = organizationKey('');

export const list = new Command('list')
  .description('list all organizations, oldest first: reads the whole table')
  .addHelpText('after', examples('organization list --stack LeadsAndStars --profile crm'))
  .action(async (_options: object, command: Command) => {
    await openTarget(command);
    const rows: Record<'organization_id' | 'name' | 'created_at', string>[] = [];
    for await (const { pk, name, created_at } of scan({
      ProjectionExpression: 'pk, #name, created_at',
      FilterExpression: 'sk = :sk',
      ExpressionAttributeNames: { '#name': 'name' },
      ExpressionAttributeValues: { ':sk': sk },
    })) {
      rows.push({
        organization_id: String(pk).slice(prefix.length),
        name: String(name),
        created_at: String(created_at),
      });
    }
    rows.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
    print(command, rows, rows);
  });
