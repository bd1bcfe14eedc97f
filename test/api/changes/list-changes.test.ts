import { expect, test } from 'vitest';
import { spend } from '../../support/billing.ts';
import { eventsUntil, inFeedOrder } from '../../support/events-out.ts';
import { feedUntil, readFeed } from '../../support/feed.ts';
import { provision } from '../../support/organization.ts';

test('the feed has what happened, once each, as it is sent to the bus', async () => {
  const organization = await provision({ wallet: { pack_stars: 7 } });
  const lead = await organization.lead({ value_cents: 1 }, { role: 'agent' });
  const { body: won } = await organization.patch(`/leads/${lead.id}`, { stage: 'won' });
  await spend(organization, 7);
  await organization.delete(`/leads/${lead.id}`);
  const feed = await feedUntil(organization, ({ type }) => type === 'lead.deleted');
  expect(feed.map(({ sequence, type, version }) => `${sequence} ${type} ${version}`)).toEqual([
    '1 wallet.changed 1',
    '2 lead.created 1',
    '3 lead.updated 2',
    '4 wallet.changed 2',
    '5 stars.depleted 2',
    '6 lead.deleted 3',
  ]);
  const { agent, owner } = organization.users;
  expect(feed.map(({ user_id }) => user_id)).toEqual([null, agent, owner, owner, null, owner]);
  const changes = [{ field: 'stage', from: 'new', to: 'won' }];
  expect(feed[2]).toMatchObject({ lead_id: lead.id, changes });
  // The times of a lead are those of its changes.
  expect([lead.created_at, lead.updated_at]).toEqual([feed[1]?.at, feed[1]?.at]);
  expect([won.created_at, won.updated_at]).toEqual([feed[1]?.at, feed[2]?.at]);
  const sent = await eventsUntil(organization.id, ({ detail }) => detail.type === 'lead.deleted');
  expect(inFeedOrder(sent).map(({ detail }) => detail)).toEqual(feed);
});

test('an organization where nothing has happened has an empty feed, with an id of its own', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  const { body } = await organization.get('/changes');
  expect(body).toMatchObject({ items: [], last_sequence: 0, has_more: false });
  const beyond = await organization.get('/changes?after=1');
  const { feed_id } = body;
  expect(beyond.body.error.details).toMatchObject([{ path: 'after', last_sequence: 0, feed_id }]);
  await Promise.all([organization.lead(), other.lead()]);
  for (const [one, isOwn] of [[organization, true] as const, [other, false] as const]) {
    const feed = await feedUntil(one, () => true);
    expect([feed.length, feed[0]?.feed_id === body.feed_id]).toEqual([1, isOwn]);
  }
});

/** An organization with twelve changes. */
const made = (async () => {
  const organization = await provision({ wallet: { pack_stars: 2 } });
  await Promise.all(Array.from({ length: 9 }, () => organization.lead()));
  await spend(organization, 2);
  const feed = await feedUntil(organization, ({ sequence }) => sequence === 12);
  return { organization, feed };
})();

test('pages of the feed are all of it, and the last says that it is', async () => {
  const { organization, feed } = await made;
  expect(await readFeed(organization, 5)).toEqual(feed);
  const { body } = await organization.get('/changes?after=10&limit=2');
  expect([body.last_sequence, body.has_more]).toEqual([12, false]);
});

test('changes of some types are found, and the next page starts after what was passed over', async () => {
  const { organization, feed } = await made;
  const ofWallet = feed.filter(({ type }) => !type.startsWith('lead.'));
  for (const [query, items] of [
    ['type=stars.depleted&type=wallet.changed', ofWallet],
    ['type=lead.deleted', []],
  ]) {
    const { body } = await organization.get(`/changes?${query}`);
    expect(body).toMatchObject({ items, last_sequence: 12, has_more: false });
  }
});

test.each(['', '&limit=1', '&type=stars.depleted', '&type=lead.erased'])(
  'a number beyond the last change is refused, and the last is told%s',
  async (more) => {
    const { organization, feed } = await made;
    const [{ feed_id } = { feed_id: '' }] = feed;
    const end = await organization.get(`/changes?after=12${more}`);
    const empty = { items: [], last_sequence: 12, has_more: false, feed_id };
    expect([end.status, end.body]).toEqual([200, empty]);
    for (const after of [13, 5000, Number.MAX_SAFE_INTEGER]) {
      const { status, body } = await organization.get(`/changes?after=${after}${more}`);
      const message = 'must be at most 12, the number of the last change';
      const details = [{ path: 'after', message, last_sequence: 12, feed_id }];
      expect([status, body.error.code, body.error.details]).toEqual([
        400,
        'invalid_request',
        details,
      ]);
    }
  },
);
