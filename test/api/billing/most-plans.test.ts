import { ensureTable, Processes, startEngine } from '@leads-and-stars/runner';
import { afterAll, expect, inject, test } from 'vitest';
import { putPlan, readPlans } from '../../../lib/billing/plans.ts';
import { openTableAt } from '../../support/table.ts';

const processes = new Processes();
afterAll(() => processes.close());

// On an engine of its own: a full catalogue would stand in the way of every other test.
test('there are at most 100 plans, and each of them can still be replaced', async () => {
  const endpoint = await startEngine(processes, 'memory');
  const properties = inject('service').table;
  await ensureTable(endpoint, properties);
  const table = openTableAt(endpoint, properties.TableName);
  const plan = (tier: string) => ({
    tier,
    name: 'Plan',
    monthly_grant_stars: 1,
    price_cents: 1,
    currency: 'USD',
  });
  for (let i = 0; i < 100; i++) await putPlan(table, plan(`t${i}`));
  await expect(putPlan(table, plan('more'))).rejects.toThrow(/not valid/);
  await putPlan(table, { ...plan('t5'), name: 'Renamed' });
  const plans = await readPlans(table);
  expect(plans.length).toBe(100);
  expect(plans.find(({ tier }) => tier === 't5')?.name).toBe('Renamed');
});
