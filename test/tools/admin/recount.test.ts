import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { places } from '../../../lib/table/keys.ts';
import { spend } from '../../support/billing.ts';
import { eventually } from '../../support/eventually.ts';
import { pastCommits, provision } from '../../support/organization.ts';
import { itemsOf, table } from '../../support/table.ts';
import { Admin } from './admin.ts';

const admin = new Admin();

test('a recount makes wrong sums right, and leaves nothing of them', async () => {
  const organization = await provision({ name: pastCommits, wallet: { pack_stars: 100 } });
  const organizationId = organization.id;
  await spend(organization, 3, { feature: 'search' });
  const spentIs = (stars: number) =>
    eventually(
      async () => (await organization.get('/billing/usage?group_by=feature')).body.items,
      (items) => items[0]?.spent_stars === stars,
    );
  await spentIs(3);
  const counted = async () => (await itemsOf(places.usage.partition({ organizationId })))[0]!;
  const sumsId = String((await counted()).sums_id);
  const sums = places.usageSum.partition({ organizationId, sumsId });
  const [month] = (await itemsOf(sums)).filter(({ sk }) => String(sk).startsWith('feature#'));
  const { pk, sk, ...days } = month!;
  await table.send(
    new UpdateCommand({
      TableName: inject('service').tableName,
      Key: { pk, sk },
      UpdateExpression: 'SET #day = :wrong',
      ExpressionAttributeNames: { '#day': Object.keys(days)[0]! },
      ExpressionAttributeValues: { ':wrong': 1000 },
    }),
  );
  await spentIs(1000);
  await admin.json('wallet', 'recount', organizationId);
  await spentIs(3);
  await eventually(counted, ({ former_sums }) => (former_sums as string[]).length === 0);
  expect(await itemsOf(sums)).toEqual([]);
});
