import { Command } from 'commander';
import { organizationKind } from '../../lib/organizations/organization.ts';
import { toKey } from '../../lib/table/table.ts';
import { print } from './output.ts';
import { scan } from './scan.ts';
import { openTarget } from './target.ts';

export const list = new Command('list')
  .description('list all organizations, oldest first: reads the whole table')
  .action(async (_options: object, command: Command) => {
    await openTarget(command);
    const rows: Record<'organization_id' | 'name' | 'created_at', string>[] = [];
    for await (const { name, created_at, ...key } of scan({
      ProjectionExpression: 'pk, sk, #name, created_at',
      FilterExpression: 'sk = :sk',
      ExpressionAttributeNames: { '#name': 'name' },
      ExpressionAttributeValues: { ':sk': organizationKind.sort({}) },
    })) {
      rows.push({
        organization_id: organizationKind.idsOf(toKey(key)).organizationId,
        name: String(name),
        created_at: String(created_at),
      });
    }
    rows.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
    print(rows);
  });
