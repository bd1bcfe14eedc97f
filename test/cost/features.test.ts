import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { base, features, measureFeatures, spendBase, walletFeatures } from './features.ts';
import { type MeteredService, startMeteredService } from './metered-service.ts';

// @module-tag long

let metered: MeteredService;

beforeAll(async () => {
  metered = await startMeteredService({ prepared: await prepared() });
});

afterAll(() => metered?.close());

test('each feature adds what its budget says to a create, a change and a page, and of a wallet to a spend', async () => {
  const budgets = Object.fromEntries(features.map(({ name, adds }) => [name, adds]));
  const spendBudgets = Object.fromEntries(walletFeatures.map(({ name, adds }) => [name, adds]));
  expect(await measureFeatures(metered)).toEqual({
    base,
    adds: budgets,
    spend: spendBase,
    spendAdds: spendBudgets,
  });
});
