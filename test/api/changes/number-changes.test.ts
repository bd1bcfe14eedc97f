import { expect, test } from 'vitest';
import { operation } from '../../../functions/changes/number-changes.ts';
import { eventFor } from '../../../tools/examples/request.ts';
import { feedStart, feedUntil, readFeed } from '../../support/feed.ts';
import { historyKey } from '../../support/keys.ts';
import { invoke, provision } from '../../support/organization.ts';

// Who comes between the numbering of one function and another: test/unit/changes/numbering.test.ts.

test('changes at once get a number each, without gaps, and no other however often the stream tells of them', async () => {
  const organization = await provision();
  const start = await feedStart(organization);
  const ids = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const { id } = await organization.lead();
      for (const stage of ['contacted', 'won']) await organization.patch(`/leads/${id}`, { stage });
      return id as string;
    }),
  );
  const feed = await feedUntil(organization, ({ sequence }) => sequence === start + 24);
  expect(feed.map(({ sequence }) => sequence)).toEqual(feed.map((_, i) => i + 1));
  for (const id of ids) {
    const own = feed.filter((change) => 'lead_id' in change && change.lead_id === id);
    expect(own.map(({ version }) => version)).toEqual([1, 2, 3]);
  }
  const body = ids.flatMap((id) => [1, 2, 3].map((n) => historyKey(organization.id, id, n)));
  const tell = () => invoke('numberChanges', eventFor(operation, { body }));
  const done = { failed: false, payload: { batchItemFailures: [] } };
  expect(await Promise.all([tell(), tell()])).toEqual([done, done]);
  expect(await readFeed(organization)).toEqual(feed);
});
