import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
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
  expect(feed.map(({ user_id }) => user_id)).toEqual([null, agent, owner, null, null, owner]);
  expect(feed[2]).toMatchObject({
    lead_id: lead.id,
    changes: [{ field: 'stage', from: 'new', to: 'won' }],
  });
  // The times of a lead are those of its changes.
  expect([feed[1]?.at, feed[1]?.at]).toEqual([lead.created_at, lead.updated_at]);
  expect([feed[1]?.at, feed[2]?.at]).toEqual([won.created_at, won.updated_at]);
  const sent = await eventsUntil(organization.id, ({ detail }) => detail.type === 'lead.deleted');
  expect(inFeedOrder(sent).map(({ detail }) => detail)).toEqual(feed);
});

test('an organization where nothing has happened has an empty feed, with its id', async () => {
  const organization = await provision();
  const { body } = await organization.get('/changes');
  expect(body).toMatchObject({ items: [], last_sequence: 0, has_more: false });
  await organization.lead();
  const [first] = await feedUntil(organization, () => true);
  expect(first?.feed_id).toBe(body.feed_id);
});

describe('of twelve changes', () => {
  const made = (async () => {
    const organization = await provision({ wallet: { pack_stars: 2 } });
    const leads = await Promise.all(Array.from({ length: 9 }, () => organization.lead()));
    await spend(organization, 2);
    const feed = await feedUntil(organization, ({ sequence }) => sequence === 12);
    return { organization, leads, feed };
  })();

  test('pages of any length are all of them, and the last says that it is', async () => {
    const { organization, feed } = await made;
    for (const limit of [1, 5, 12, 200]) expect(await readFeed(organization, limit)).toEqual(feed);
    const { body } = await organization.get('/changes?after=10&limit=2');
    expect([body.last_sequence, body.has_more]).toEqual([12, false]);
  });

  test('those of some types are found, and the next page starts after what was passed over', async () => {
    const { organization, feed } = await made;
    const { body } = await organization.get('/changes?type=stars.depleted&type=wallet.changed');
    expect(body.items).toEqual(feed.filter(({ type }) => !type.startsWith('lead.')));
    expect(body).toMatchObject({ last_sequence: 12, has_more: false });
    const none = await organization.get('/changes?type=lead.deleted');
    expect(none.body).toMatchObject({ items: [], last_sequence: 12, has_more: false });
  });

  test.each([
    ['after', '-1'],
    ['after', 'x'],
    ['after', '9007199254740992'],
    ['after', '1&after=2'],
    ['limit', '0'],
    ['limit', '201'],
    ['type', 'lead.touched'],
    ['cursor', 'x'],
  ])('%s=%s is refused by its name', async (name, value) => {
    const { organization } = await made;
    const { status, body } = await organization.get(`/changes?${name}=${value}`);
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(JSON.stringify(body.error.details)).toContain(name);
  });

  test('what is just within the limits is taken', async () => {
    const { organization } = await made;
    for (const query of ['after=9007199254740991', 'limit=200', 'limit=1', 'after=0']) {
      expect([query, (await organization.get(`/changes?${query}`)).status]).toEqual([query, 200]);
    }
  });
});

test('two organizations have feeds of their own', async () => {
  const [one, other] = await Promise.all([provision(), provision()]);
  await Promise.all([one.lead(), other.lead(), one.lead()]);
  const feeds = await Promise.all([
    feedUntil(one, ({ sequence }) => sequence === 2),
    feedUntil(other, ({ sequence }) => sequence === 1),
  ]);
  expect(feeds.map(({ length }) => length)).toEqual([2, 1]);
  expect(new Set(feeds.flat().map(({ feed_id }) => feed_id)).size).toBe(2);
  const foreign = { headers: { 'x-organization-id': randomUUID() } };
  expect((await one.get('/changes', foreign)).status).toBe(403);
});
