import { expect, test } from 'vitest';
import type { Change } from '../../../lib/changes/change.ts';
import { spend } from '../../support/billing.ts';
import { eventsUntil, inFeedOrder } from '../../support/events-out.ts';
import { asSent, feedStart, feedUntil, readFeed, withoutSettings } from '../../support/feed.ts';
import { provision } from '../../support/organization.ts';

test('the feed has what happened, once each, as it is sent to the bus', async () => {
  const organization = await provision({ wallet: { pack_stars: 7 } });
  const last = 5 + (await feedStart(organization, { firstStars: true }));
  const lead = await organization.lead({ value_cents: 1 }, { role: 'agent' });
  const { body: won } = await organization.patch(`/leads/${lead.id}`, { stage: 'won' });
  await spend(organization, 7);
  await organization.delete(`/leads/${lead.id}`);
  const feed = await feedUntil(organization, ({ sequence }) => sequence === last);
  expect(feed.map(({ sequence }) => sequence)).toEqual(feed.map((_, i) => i + 1));
  // A lead's changes and a wallet's have no order among one another.
  const usual = withoutSettings(feed);
  const [ofLead, ofWallet] = [
    usual.filter((change) => 'lead_id' in change),
    usual.filter((change) => !('lead_id' in change)),
  ];
  const { agent, owner } = organization.users;
  const told = ({ type, version, user_id }: Change) => [type, version, user_id];
  expect([ofLead.map(told), ofWallet.map(told)]).toEqual([
    [
      ['lead.created', 1, agent],
      ['lead.updated', 2, owner],
      ['lead.deleted', 3, owner],
    ],
    [
      ['wallet.changed', 1, 'platform'],
      ['wallet.changed', 2, owner],
      ['stars.depleted', 2, owner],
    ],
  ]);
  // Of one request are what was spent, and that nothing is left.
  expect(ofWallet[1]?.request_id).toBe(ofWallet[2]?.request_id);
  expect(new Set(usual.map(({ request_id }) => request_id)).size).toBe(5);
  const [created, updated] = ofLead;
  const changes = [{ field: 'stage', from: 'new', to: 'won' }];
  expect(updated).toMatchObject({ lead_id: lead.id, changes });
  // The times of a lead are those of its changes.
  expect([lead.created_at, lead.updated_at]).toEqual([created?.at, created?.at]);
  expect([won.created_at, won.updated_at]).toEqual([created?.at, updated?.at]);
  const sent = await eventsUntil(organization.id, ({ detail }) => detail.sequence === last);
  expect(inFeedOrder(sent).map(({ detail }) => detail)).toEqual(asSent(feed));
});

test('the feed of an organization begins with its settings, and has an id of its own', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  const count = await feedStart(organization);
  const { body } = await organization.get('/changes');
  expect(body).toMatchObject({ last_sequence: count, has_more: false });
  const { feed_id } = body;
  // In any order, as they are of things of their own.
  const told = body.items.map((one: Change) => [one.type, one.user_id, one.feed_id]);
  const made = (type: string, of: readonly unknown[]) => of.map(() => [type, 'platform', feed_id]);
  expect(told.toSorted()).toEqual([
    ...made('member.added', Object.keys(organization.users)),
    ...made('organization.created', [organization]),
    ...made('pipeline.created', organization.pipelines),
  ]);
  const beyond = await organization.get(`/changes?after=${count + 1}`);
  const end = { path: 'after', last_sequence: count, feed_id };
  expect(beyond.body.error.details).toMatchObject([end]);
  await feedStart(other);
  expect((await other.get('/changes')).body.feed_id).not.toBe(feed_id);
});

/**
 * An organization with eleven changes beside those that make it, the number of the last one, and a time after which the
 * last three were made, when the others were in the feed.
 */
const made = (async () => {
  const organization = await provision({ wallet: { pack_stars: 2 } });
  const start = await feedStart(organization, { firstStars: true });
  const last = start + 11;
  await Promise.all(Array.from({ length: 8 }, () => organization.lead()));
  await feedUntil(organization, ({ sequence }) => sequence === last - 3);
  const middle = Date.now();
  await organization.lead();
  await spend(organization, 2);
  const feed = await feedUntil(organization, ({ sequence }) => sequence === last);
  return { organization, feed, last, middle };
})();

test('pages of the feed are all of it, and the last says that it is', async () => {
  const { organization, feed, last } = await made;
  expect(await readFeed(organization, 5)).toEqual(feed);
  const { body } = await organization.get(`/changes?after=${last - 2}&limit=2`);
  expect([body.last_sequence, body.has_more]).toEqual([last, false]);
});

test('changes of some types are found, and the next page starts after what was passed over', async () => {
  const { organization, feed, last } = await made;
  const ofWallet = feed.filter(({ type }) => /^(wallet|stars)\./.test(type));
  expect(ofWallet.length).toBe(3);
  for (const [query, items] of [
    ['type=stars.depleted&type=wallet.changed', ofWallet],
    ['type=lead.deleted', []],
  ]) {
    const { body } = await organization.get(`/changes?${query}`);
    expect(body).toMatchObject({ items, last_sequence: last, has_more: false });
  }
});

test.each(['', '&limit=1', '&type=stars.depleted', '&type=lead.erased'])(
  'a number beyond the last change is refused, and the last is told%s',
  async (more) => {
    const { organization, feed, last } = await made;
    const [{ feed_id } = { feed_id: '' }] = feed;
    const end = await organization.get(`/changes?after=${last}${more}`);
    const empty = { items: [], last_sequence: last, has_more: false, feed_id };
    expect([end.status, end.body]).toEqual([200, empty]);
    for (const after of [last + 1, 5000, Number.MAX_SAFE_INTEGER]) {
      const { status, body } = await organization.get(`/changes?after=${after}${more}`);
      const message = `must be at most ${last}, the number of the last change`;
      const details = [{ path: 'after', message, last_sequence: last, feed_id }];
      expect([status, body.error.code, body.error.details]).toEqual([
        400,
        'invalid_request',
        details,
      ]);
    }
  },
);

test('a change tells what its maker is called to who reads members, and `platform` of the company', async () => {
  const organization = await provision();
  await feedStart(organization);
  const { owner } = organization.users;
  await organization.put(`/members/${owner}`, { role: 'owner', name: 'Ana Lima' });
  const { id } = await organization.lead();
  const isLast = (change: Change) => 'lead_id' in change && change.lead_id === id;
  const feed = await feedUntil(organization, isLast);
  const namesOf = (type: string) =>
    new Set(feed.filter((one) => one.type === type).map(({ user_name }) => user_name));
  expect([namesOf('lead.created'), namesOf('pipeline.created')]).toEqual([
    new Set(['Ana Lima']),
    new Set(['platform']),
  ]);
});

test('who may not read keys is told that there was a change, and nothing of it, nor how many there were', async () => {
  const organization = await provision();
  const start = await feedStart(organization);
  await organization.post('/keys', { name: 'Form', role: 'agent' });
  const feed = await feedUntil(organization, ({ sequence }) => sequence === start + 1);
  const made = feed.at(-1)!;
  expect(made).toMatchObject({ type: 'api_key.created', role: 'agent' });
  const role = 'support';
  const { body } = await organization.get(`/changes?after=${start}`, { role });
  const { sequence, feed_id, at, organization_id } = made;
  expect(body.items).toEqual([{ sequence, feed_id, at, organization_id, type: 'hidden' }]);
  const path = `/changes?after=${start}&type=api_key.created`;
  expect((await organization.get(path)).body.items).toEqual([made]);
  expect((await organization.get(path, { role })).body.items).toEqual([]);
});

test('of a user it has what that one did, and of what may not be read nothing at all', async () => {
  const organization = await provision();
  const start = await feedStart(organization);
  const { owner, agent } = organization.users;
  await organization.post('/keys', { name: 'Form', role: 'agent' });
  await organization.lead({}, { role: 'agent' });
  await organization.lead({});
  await feedUntil(organization, ({ sequence }) => sequence === start + 3);
  const read = async (user: string, role: 'owner' | 'support' = 'owner') => {
    const path = `/changes?after=${start}&user_id=${user}`;
    const { items, last_sequence, has_more } = (await organization.get(path, { role })).body;
    expect([last_sequence - start, has_more]).toEqual([3, false]);
    return items.map(({ type, user_id }: Change) => `${type} ${user_id}`).toSorted();
  };
  expect(await read(owner)).toEqual([`api_key.created ${owner}`, `lead.created ${owner}`]);
  expect(await read(owner.toUpperCase(), 'support')).toEqual([`lead.created ${owner}`]);
  expect(await read(agent)).toEqual([`lead.created ${agent}`]);
  expect(await read('platform')).toEqual([]);
  const all = (await organization.get('/changes?user_id=platform')).body.items;
  expect(all.length).toBeGreaterThan(0);
  expect(new Set(all.map(({ user_id }: Change) => user_id))).toEqual(new Set(['platform']));
  expect((await organization.get('/changes?user_id=me')).status).toBe(400);
});

test('a page of types tells who may not read keys nothing of where their changes are', async () => {
  const organization = await provision();
  const start = await feedStart(organization);
  for (const name of ['Form', 'Shop']) await organization.post('/keys', { name, role: 'agent' });
  await feedUntil(organization, ({ sequence }) => sequence === start + 2);
  const ends = async (query: string, role: 'owner' | 'support') => {
    const path = `/changes?after=${start}&limit=1&${query}`;
    const { last_sequence, has_more } = (await organization.get(path, { role })).body;
    return [last_sequence - start, has_more];
  };
  const [made, revoked] = ['type=api_key.created', 'type=api_key.revoked'];
  expect(await ends(made, 'owner')).toEqual([1, true]);
  for (const query of [made, revoked, `${made}&${revoked}`, `${made}&type=lead.erased`]) {
    expect(await ends(query, 'support')).toEqual([2, false]);
  }
});

test('intervals of time that follow one another have each change once, from the first one on', async () => {
  const { organization, feed, last, middle: middleMs } = await made;
  const [middle, end] = [middleMs, Date.now() + 1].map((time) => new Date(time).toISOString());
  const read = async (query: string) =>
    (await organization.get(`/changes?limit=200&${query}`)).body.items as Change[];
  const [before, after] = [await read(`to=${middle}`), await read(`from=${middle}&to=${end}`)];
  expect([before, after]).toEqual([feed.slice(0, last - 3), feed.slice(last - 3)]);
  expect(await read(`from=${end}`)).toEqual([]);
});
