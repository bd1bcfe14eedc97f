import { expect, test } from 'vitest';
import { readHistory } from '../../../../lib/billing/history.ts';
import { readBalance } from '../../../../lib/billing/read-balance.ts';
import { addMonths } from '../../../../lib/billing/rules/months/calendar.ts';
import { readStatement } from '../../../../lib/billing/statement.ts';
import { expectSoundLedger } from '../../../support/billing.ts';
import type { Organization } from '../../support.ts';
import { at, iso, now, useStillClock } from '../holds/in-process-holds.ts';
import {
  apply,
  applyTo,
  eventOf,
  soon,
  spend,
  table,
  watchedTable,
  withStars,
} from '../in-process-wallet.ts';

// Months by the clock, of a wallet that nobody has touched since. What they do: rules/months-by-clock.test.ts.

useStillClock();

/** A wallet with ten pack stars, and a hundred a month for some months. */
const subscribed = async (months: number) => {
  const organization = await withStars(0, 10);
  // A little after the period ends that the wallet was made with.
  at(now + 7_200_000);
  const from = Date.now();
  const until = addMonths(from, months);
  const line = { from: iso(from), until: iso(until), monthly_grant_stars: 100, tier: 'pro' };
  await apply(
    eventOf(organization, { type: 'subscription.paid', subscription_id: 's', lines: [line] }),
  );
  return { organization, from, until };
};

// Asked for in their own code: an owner's token is over by then.
const statementOf = ({ id }: Organization, from: number, to: number) =>
  readStatement(table.during({ deadline: soon() }), id, Date.now(), { from, to });

test('a year that nobody touched is read in one request, and its months are known before they are written', async () => {
  const { organization, from } = await subscribed(12);
  const [may, june] = [addMonths(from, 4) + 1, addMonths(from, 5) + 1];
  at(addMonths(from, 11) + 20_000);
  const { table: watched, requests } = watchedTable();
  const balance = await readBalance(watched, organization.id, Date.now());
  expect(requests).toEqual([['Get', 1]]);
  expect(balance).toMatchObject({
    ...{ monthly_stars: 100, pack_stars: 10, next_grant: null },
    monthly_lapse_at: iso(addMonths(from, 12)),
  });
  const before = await statementOf(organization, may, june);
  expect(before.items).toMatchObject([
    {
      ...{ type: 'stars.granted', at: iso(addMonths(from, 5)), event_id: null },
      ...{ stars: 100, monthly_lapsed: 100, monthly_change: 100, monthly_after: 100 },
    },
  ]);
  await apply(spend(organization, 1));
  const { items, ...rest } = await statementOf(organization, may, june);
  expect(rest).toEqual({ ...before, items: undefined });
  expect(items).toEqual([{ ...before.items[0], written_at: iso(Date.now()) }]);
  const open = table.during({ deadline: soon() });
  const { items: newest } = await readHistory(open, organization.id, { limit: 200 });
  const history = newest.reverse();
  expectSoundLedger(history);
  const granted = history.filter(({ type }) => type === 'stars.granted');
  expect(granted.map((entry) => entry.at)).toEqual(
    Array.from({ length: 11 }, (_, k) => iso(addMonths(from, k + 1))),
  );
});

test('ten years that nobody touched are written in as few transactions as they fit into', async () => {
  const { organization, until } = await subscribed(120);
  at(until);
  const { table: watched, counts } = watchedTable();
  const { balance } = await applyTo(watched, spend(organization, 1));
  expect(balance).toMatchObject({ monthly_stars: 0, pack_stars: 9 });
  // The wallet, 119 grants and the last lapse; then the spend, with wallet and record.
  expect(counts('TransactWrite')).toEqual([1 + 99, 1 + 21, 3]);
});
