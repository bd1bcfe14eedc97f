import { expect, test } from 'vitest';
import { hold, putEvent, release, spend } from '../../support/billing.ts';
import { arrived, bySequence, hooked } from './hooks.ts';

test('a webhook hears once for each crossing that a spend limit is low, and reached', async () => {
  const hook = await hooked({ types: ['spend_limit.low', 'spend_limit.reached'] });
  const { organization } = hook;
  await putEvent(organization, { type: 'pack.purchased', stars: 100 });
  const limit = { stars: 10, period: 'total', alert_at: 8 };
  await organization.put('/billing/limits/default/spender', limit);
  const ada = { spender: 'ada' };
  await spend(organization, 7, { ...ada, event_id: 'spent' });
  await hold(organization, 'job', 1, ada);
  await spend(organization, 2, ada);
  await spend(organization, 1, ada);
  // It falls below its `alert_at`, and rises to it again.
  await putEvent(organization, { type: 'stars.refunded', refunds: 'spent', stars: 3 });
  await release(organization, 'job');
  await spend(organization, 2, ada);
  const told = (type: string, used_stars: number) => ({
    ...{ type: `spend_limit.${type}`, kind: 'spender', name: 'ada', by_default: true },
    used_stars,
  });
  await arrived(hook, 3);
  expect(bySequence(hook.receiver.bodies as never)).toMatchObject([
    told('low', 8),
    told('reached', 10),
    told('low', 8),
  ]);
});
