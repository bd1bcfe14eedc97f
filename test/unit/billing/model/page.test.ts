import { expect, test } from 'vitest';
import { seed } from '../../../support/random.ts';
import { PageWallet } from './page-wallet.ts';
import { type Counts, compareWithModel } from './side-by-side.ts';

// The rules do what docs/stars.md says: a model that was written from that page alone answers the same, step by step.

const compare = (runs: number): Counts =>
  compareWithModel((start) => new PageWallet(start), { runs, steps: 60 });

/** Each was to happen so often, and to be refused so often, in 50,000 steps. */
const wanted: Record<string, [done: number, refused: number]> = {
  ...{
    'a repeat': [500, 500],
    'an equal moment': [5000, 5000],
    'an id of something else': [0, 200],
  },
  ...{ 'an upgrade': [500, 50], 'a downgrade': [500, 20], 'a credit': [500, 20] },
  ...{ seats: [100, 100], 'a year': [500, 50], 'a part': [500, 50], 'a trial': [500, 50] },
  ...{ grace: [500, 50], 'a payment after its time': [500, 20] },
  ...{ 'another subscription': [100, 200], 'a hold of an earlier month': [40, 200] },
  ...{ 'subscription.paid': [5000, 1000], 'subscription.reversed': [1000, 1000] },
  ...{ 'subscription.changed': [200, 100], 'subscription.canceled': [200, 100] },
  ...{ 'pack.purchased': [1000, 20], 'pack.reversed': [1000, 1000], 'stars.adjusted': [500, 500] },
  ...{ 'stars.spent': [1000, 1000], 'stars.refunded': [200, 1000] },
  ...{ hold: [1000, 1000], extend: [100, 1000], capture: [100, 1000], release: [50, 500] },
};

test(`the rules and the model from the page agree for some steps (SEED=${seed})`, () => {
  expect(compare(75).steps).toBeGreaterThan(1500);
});

test(`the rules and the model from the page agree for 50,000 steps (SEED=${seed})`, {
  tags: ['long'],
  timeout: 600_000,
}, () => {
  const counts = compare(2000);
  expect(counts.steps).toBeGreaterThan(50_000);
  for (const [kind, [done, refused]] of Object.entries(wanted)) {
    expect(counts[`${kind} done`] ?? 0, kind).toBeGreaterThanOrEqual(done);
    expect(counts[`${kind} refused`] ?? 0, kind).toBeGreaterThanOrEqual(refused);
  }
});
