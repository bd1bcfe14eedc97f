import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { places } from '../../../lib/table/keys.ts';
import { invoke } from '../../support/organization.ts';
import { itemsOf, table } from '../../support/table.ts';
import { issuerKeys } from '../../support/tokens.ts';

// What functions do with these keys is tested in test/unit/tokens/stored-keys.test.ts.

test('the issuer’s keys are in the table, as old as the last renewal', async () => {
  const { issuer, tableName: TableName } = inject('service');
  const Key = places.issuerKeys.key({ uri: `${issuer}/.well-known/jwks.json` });
  const before = Date.now();
  // As if the last one had been long ago, and the issuer had had another key.
  await table.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: 'SET fetched_at = :long_ago, key_set = :other',
      ExpressionAttributeValues: { ':long_ago': 1, ':other': '{"keys":[]}' },
    }),
  );
  expect((await invoke('renewIssuerKeys', {})).failed).toBe(false);
  const [{ key_set, fetched_at } = {}] = await itemsOf(Key.pk);
  expect(JSON.parse(String(key_set))).toEqual(JSON.parse(String(await issuerKeys())));
  expect(fetched_at).toBeGreaterThanOrEqual(before);
  expect(fetched_at).toBeLessThanOrEqual(Date.now());
});
