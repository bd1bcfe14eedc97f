import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { type CountedService, startCountedService } from './counted-service.ts';
import { base, features, measureFeatures, spendBase, walletFeatures } from './features.ts';

// @module-tag long

let counted: CountedService;

beforeAll(async () => {
  counted = await startCountedService({ prepared: await prepared() });
});

afterAll(() => counted?.close());

test('each feature adds what its budget says to a create, a change and a page, and of a wallet to a spend', async () => {
  const budgets = Object.fromEntries(features.map(({ name, adds }) => [name, adds]));
  const spendBudgets = Object.fromEntries(walletFeatures.map(({ name, adds }) => [name, adds]));
  expect(await measureFeatures(counted)).toEqual({
    base,
    adds: budgets,
    spend: spendBase,
    spendAdds: spendBudgets,
  });
});
