import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';
import { day, line, Played, paid, proration, spend } from './played.ts';
import { event } from './wallets.ts';

// All that was ever paid is clawed back, at once or months later. A run is repeated with its SEED.

/** The beginnings of months of 2026, as days. */
const begins = Array.from({ length: 13 }, (_, k) => (Date.UTC(2026, k) - day(0)) / 86_400_000);

/** What happens in each month: an upgrade, a spend, a dispute of the last invoice. */
const months = fc.array(
  fc.record({
    hour: fc.integer({ min: 1, max: 27 * 24 }),
    more: fc.nat({ max: 300 }),
    spent: fc.nat({ max: 300 }),
    isDisputed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

test(`who gets all of the money back has paid for nothing: what was spent is owed, and no more (SEED=${seed})`, () => {
  const seen = { spent: 0, disputed: 0, upgraded: 0 };
  const lost = (id: string, n: number) =>
    event({
      ...{ type: 'subscription.reversed', event_id: `${id}-${n}`, source: 'dispute', paid: id },
      claw_back: true,
    });
  fc.assert(
    fc.property(months, fc.boolean(), (all, isYear) => {
      const played = new Played();
      const invoices: string[] = [];
      const pay = (n: number, lines: object[]) => {
        const event_id = `in_${invoices.length}`;
        invoices.push(event_id);
        played.at(n, paid(lines, { event_id, amount: 900 }));
      };
      const end = begins[all.length]!;
      let stars = 100;
      if (isYear) pay(0, [line(0, end, stars)]);
      all.forEach(({ hour, more, spent, isDisputed }, k) => {
        const [from, until] = [begins[k]!, isYear ? end : begins[k + 1]!];
        if (!isYear) pay(from, [line(from, until, stars)]);
        const n = from + hour / 24;
        if (more > 0) pay(n, [proration(n, until, -stars), proration(n, until, stars + more)]);
        stars += more;
        const taken = Math.min(spent, played.at(n).stars);
        if (taken > 0) played.at(n, spend(taken, `s${k}`));
        if (isDisputed) played.at(n + 0.5, lost(invoices.at(-1)!, n));
        if (taken > 0) seen.spent++;
        if (isDisputed) seen.disputed++;
        if (more > 0) seen.upgraded++;
      });
      played.at(end + 1, ...invoices.map((id) => lost(id, end)));
      const given = played.steps
        .filter(({ entry }) => entry.type !== 'stars.spent')
        .reduce((sum, { entry }) => sum + entry.stars, 0);
      expect(given).toBe(0);
    }),
    { seed, numRuns: times(300, 5000) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(30);
});
