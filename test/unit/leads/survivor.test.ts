import { expect, test } from 'vitest';
import { findSurvivor, leadNotFound } from '../../../lib/leads/survivor.ts';
import { historyKey } from '../../../lib/table/keys.ts';

/** Leads of which each was merged into the next one, so many times in a row. Counts what is read. */
const mergedOn = (merges: number) => {
  const last = new Map(
    Array.from({ length: merges }, (_, i) => [
      historyKey('o', `lead-${i}`, 0).pk,
      { merged_into: `lead-${i + 1}` },
    ]),
  );
  const counts = { reads: 0 };
  const query = async ({ values }: { values: Record<string, unknown> }) => {
    counts.reads++;
    const entry = { type: 'lead.merged', changes: [], ...last.get(String(values[':pk'])) };
    return { items: [entry], examined: 1, last: undefined };
  };
  return { counts, table: { query } as never };
};

test.each([
  [0, undefined],
  [1, 'lead-1'],
  [99, 'lead-99'],
  [100, 'lead-100'],
  [101, 'lead-100'],
  [250, 'lead-100'],
])(
  'a lead that was merged on %i times in a row is followed 100 times at most',
  async (merges, survivor) => {
    const { counts, table } = mergedOn(merges);
    expect(await findSurvivor(table, 'o', 'lead-0')).toBe(survivor);
    expect(counts.reads).toBe(Math.min(merges + 1, 100));
  },
);

test('the lead that is named after 100 merges names the ones after it', async () => {
  const { table } = mergedOn(250);
  const named = async (leadId: string) => {
    const { details } = await leadNotFound(table, 'o', leadId, 'from');
    return details?.[0];
  };
  expect(await named('lead-0')).toEqual({
    path: 'from',
    message: 'was merged into lead lead-100',
    lead_id: 'lead-100',
  });
  expect(await named('lead-100')).toMatchObject({ lead_id: 'lead-200' });
  expect(await named('lead-200')).toMatchObject({ lead_id: 'lead-250' });
  expect(await named('lead-250')).toBeUndefined();
});
