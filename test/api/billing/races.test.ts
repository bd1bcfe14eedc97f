import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { applyEvent } from '../../../lib/billing/apply-event.ts';
import {
  balanceOf,
  expectSoundLedger,
  historyOf,
  inAnHour,
  openingWallet,
  spend,
} from '../../support/billing.ts';
import { bodyOf, type Detail, deliver } from '../../support/events-in.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { seed } from '../../support/random.ts';
import { openTableAt } from '../../support/table.ts';

/** The functions' table without the functions, to race closer than they can be made to. */
const directTable = () => {
  const { tableEndpoint, tableName } = inject('service');
  return openTableAt(tableEndpoint, tableName);
};

const spent = (organization: Organization, stars: number) => ({
  type: 'stars.spent' as const,
  organization_id: organization.id,
  event_id: randomUUID(),
  stars,
});

// Who comes between the readings of one of them: test/unit/billing/change-wallet.test.ts.

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
}, 60_000);

// The runner runs as many at once as there are environments; here all of them race for one wallet.
test('200 spends that all race for the wallet at the same moment are all done', {
  timeout: 180_000,
}, async () => {
  const organization = await provision(openingWallet(0, 200));
  const table = directTable();
  const startedAt = Date.now();
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, () =>
      // However long it takes: one process runs all 200, beside the other tests.
      applyEvent(table, spent(organization, 1)),
    ),
  );
  console.info(`200 spends racing for one wallet: ${Date.now() - startedAt} ms`);
  expect(outcomes.filter(({ refusal }) => refusal)).toEqual([]);
  expect((await balanceOf(organization)).total_stars).toBe(0);
  expectSoundLedger(await historyOf(organization));
});

test('spends and events at once, in any order and repeatedly, make a sound ledger', async () => {
  console.info(`SEED=${seed}`);
  const stars = fc.integer({ min: 1, max: 40 });
  const id = fc.integer({ min: 0, max: 15 });
  const detail: fc.Arbitrary<Detail> = fc.oneof(
    fc.record({ type: fc.constant('pack.purchased'), stars }),
    fc.record({ type: fc.constant('stars.spent'), stars }),
    fc.record({
      type: fc.constant('stars.refunded'),
      stars,
      refunds: fc.tuple(stars, id).map(([n, one]) => `spend-${n}-${one}`),
    }),
    fc.record({
      type: fc.constant('subscription.started'),
      tier: fc.constant('pro'),
      current_period_end: fc.constantFrom(inAnHour(), new Date(Date.now() + 7.2e6).toISOString()),
      monthly_grant_stars: stars,
    }),
    fc.record({ type: fc.constant('subscription.canceled') }),
  );
  const step = fc.oneof(
    fc.record({ spend: stars, id }),
    fc.record({ batch: fc.array(fc.tuple(detail, id), { minLength: 1, maxLength: 5 }) }),
  );

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      const organization = await provision({ wallet: { pack_stars: 60 } });
      const accepted = new Set<string>();
      await Promise.all(
        steps.map(async (one) => {
          if ('spend' in one) {
            const event_id = `spend-${one.spend}-${one.id}`;
            const { status } = await spend(organization, one.spend, { event_id });
            expect([200, 201, 402]).toContain(status);
            if (status !== 402) accepted.add(event_id);
            return;
          }
          // The same type and id is the same event, so that a repeat is one.
          const ids = one.batch.map(([{ type, stars = '' }, n]) => `${type}-${stars}-${n}`);
          const failures = await deliver(
            one.batch.map(([fields], i) => bodyOf(organization, { event_id: ids[i], ...fields })),
          );
          ids.forEach((event_id, i) => {
            if (!failures.includes(i)) accepted.add(event_id);
          });
        }),
      );
      const entries = await historyOf(organization);
      expectSoundLedger(entries);
      const [, ...applied] = entries;
      expect(new Set(applied.map(({ event_id }) => event_id))).toEqual(accepted);
      const last = entries.at(-1);
      expect(await balanceOf(organization)).toMatchObject({
        monthly_stars: last?.monthly_after,
        pack_stars: last?.pack_after,
      });
    }),
    { seed, numRuns: 8 },
  );
}, 120_000);
