import { expect, test } from 'vitest';
import {
  balanceOf,
  expectSoundLedger,
  historyOf,
  openingWallet,
  spend,
} from '../../support/billing.ts';
import { provision } from '../../support/organization.ts';

// Who comes between the readings of one of them: test/unit/billing/events/event-update.test.ts. Events of all kinds at once:
// test/unit/billing/writer/change-wallet.property.test.ts. Where DynamoDB refuses those that meet:
// test/faults/transaction-conflicts.test.ts.

test('200 spends at once: as many stars as there are, each once, and nobody wrongly refused', async () => {
  const organization = await provision(openingWallet(50, 70));
  const startedAt = Date.now();
  const answers = await Promise.all(Array.from({ length: 200 }, () => spend(organization, 1)));
  console.info(`200 spends at once through the API: ${Date.now() - startedAt} ms`);
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((one) => one !== 201 && one !== 402)).toEqual([]);
  expect(statuses.filter((one) => one === 201).length).toBe(120);
  expect(await balanceOf(organization)).toMatchObject({ monthly_stars: 0, pack_stars: 0 });
  const entries = await historyOf(organization);
  expect(entries.length).toBe(121);
  expectSoundLedger(entries);
});
