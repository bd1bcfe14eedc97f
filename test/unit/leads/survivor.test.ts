import { expect, test } from 'vitest';
import { historyEntryKind } from '../../../lib/leads/history.ts';
import { findSurvivor, leadNotFound } from '../../../lib/leads/survivor.ts';
import { ordinal } from '../../../lib/table/keys.ts';
import { fakeQueries } from '../../support/fake-table.ts';

const idOf = (i: number) => `01a1fc01-04c2-7516-b29c-${String(i).padStart(12, '0')}`;
const at = '2026-11-22T08:00:00.000Z';

/** Leads of which each was merged into the next one, so many times in a row. Counts what is read. */
const mergedOn = (merges: number) => {
  const keyOf = (i: number) =>
    historyEntryKind.key({ organizationId: 'o', leadId: idOf(i), version: ordinal(2) });
  const last = new Map(
    Array.from({ length: merges }, (_, i) => [keyOf(i).pk, { merged_into: idOf(i + 1) }]),
  );
  const counts = { reads: 0 };
  const table = fakeQueries(({ values }) => {
    counts.reads++;
    const pk = String(values[':pk']);
    const entry = { version: 2, type: 'lead.deleted', at, user_id: idOf(0), changes: [] };
    const items = [{ pk, sk: ordinal(2), ...entry, ...last.get(pk) }];
    return { items, examined: 1, last: undefined };
  });
  return { counts, table };
};

test.each([
  [0, undefined],
  [1, 1],
  [99, 99],
  [100, 100],
  [101, 100],
  [250, 100],
])(
  'a lead that was merged on %i times in a row is followed 100 times at most',
  async (merges, survivor) => {
    const { counts, table } = mergedOn(merges);
    const expected = survivor === undefined ? undefined : idOf(survivor);
    expect(await findSurvivor(table, 'o', idOf(0))).toBe(expected);
    expect(counts.reads).toBe(Math.min(merges + 1, 100));
  },
);

test('the lead that is named after 100 merges names the ones after it', async () => {
  const { table } = mergedOn(250);
  const named = async (lead: number) => {
    const { details } = await leadNotFound(table, 'o', idOf(lead), 'from');
    return details?.[0];
  };
  expect(await named(0)).toEqual({
    path: 'from',
    message: `was merged into lead ${idOf(100)}`,
    lead_id: idOf(100),
  });
  expect(await named(100)).toMatchObject({ lead_id: idOf(200) });
  expect(await named(200)).toMatchObject({ lead_id: idOf(250) });
  expect(await named(250)).toBeUndefined();
});
