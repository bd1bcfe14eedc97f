import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, call, outcome, routed } from '../../support/api.ts';
import { balanceOf, hold, openingWallet, spend } from '../../support/billing.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { makeApiKey } from '../keys/api-keys.ts';

// What an API key with a spender of its own may spend and hold, and which spends and holds it sees.

type Ask = (method: string, path: string, body?: object) => Promise<Answer>;

/** Calls with a new API key, alone. */
const asKey = async (organization: Organization, spender?: string): Promise<Ask> => {
  const { key } = await makeApiKey(organization, { role: 'meter', spender });
  return (method, path, body) =>
    call(method, path, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
};

let organization: Organization;
let ask: Ask;

beforeAll(async () => {
  organization = await provision(openingWallet(0, 1000));
  ask = await asKey(organization, 'agent-1');
});

const refused = [{ path: 'spender', message: 'must be agent-1, or left out, with this API key' }];
const held = { stars: 2, expires_in_seconds: 600 };

test('its spender is filled in, told, and part of the content', async () => {
  const made = await ask('PUT', '/billing/spends/own', { stars: 1 });
  expect([made.status, made.body.spender]).toEqual([201, 'agent-1']);
  const named = await ask('PUT', '/billing/spends/own', { stars: 1, spender: 'agent-1' });
  expect([named.status, named.body]).toEqual([200, made.body]);
  // By who may name any spender, the same content has the name.
  const fields = { event_id: 'own', spender: 'agent-1' };
  expect((await spend(organization, 1, fields)).body).toEqual(made.body);
  expect(outcome(await spend(organization, 1, { event_id: 'own' }))).toBe('event_id_reused');

  const hold = await ask('PUT', '/billing/holds/own-hold', held);
  expect([hold.status, hold.body.spender]).toEqual([201, 'agent-1']);
  const batch = await ask('POST', '/billing/spends', {
    spends: [
      { event_id: 'own', stars: 1 },
      { event_id: 'own-batch', stars: 1 },
    ],
  });
  expect(batch.body.items.map(({ status }: { status: number }) => status)).toEqual([200, 201]);
  const { items } = (await organization.get('/billing/history?limit=3')).body;
  expect(items.map((one: { spender: string }) => one.spender)).toEqual(Array(3).fill('agent-1'));
});

test('another name is 403, and spends and holds nothing', async () => {
  const before = await balanceOf(organization);
  const other = { stars: 1, spender: 'agent-2' };
  for (const [path, body] of [
    ['/billing/spends/other', other],
    ['/billing/holds/other', { ...held, ...other }],
  ] as const) {
    const { body: answer, status } = await ask('PUT', path, body);
    expect([status, answer.error.code, answer.error.details]).toEqual([403, 'forbidden', refused]);
  }
  const { available_stars } = await balanceOf(organization);
  expect(available_stars).toBe(before.available_stars);
});

test('in a batch, another name is 403 of that spend alone', async () => {
  const { status, body } = await ask('POST', '/billing/spends', {
    spends: [
      { event_id: 'first', stars: 1 },
      { event_id: 'second', stars: 1, spender: 'agent-2' },
      { event_id: 'third', stars: 1, spender: 'agent-1' },
    ],
  });
  expect(status).toBe(200);
  expect(body.items).toMatchObject([
    { event_id: 'first', status: 201 },
    { event_id: 'second', status: 403, error: { code: 'forbidden', details: refused } },
    { event_id: 'third', status: 201 },
  ]);
  expect((await ask('GET', '/billing/spends/third')).status).toBe(200);
  expect((await organization.get('/billing/spends/second')).status).toBe(404);
});

describe('of others', () => {
  beforeAll(async () => {
    await hold(organization, 'of-agent-2', 3, { spender: 'agent-2' });
    await hold(organization, 'of-nobody', 3);
    await spend(organization, 1, { event_id: 'spent-by-agent-2', spender: 'agent-2' });
    await spend(organization, 1, { event_id: 'spent-by-nobody' });
    await ask('PUT', '/billing/holds/mine', held);
  });

  /** What is answered of a hold: another spender's, one without a spender, one that there is not. */
  const attempts: Record<string, (id: string) => Promise<Answer>> = {
    getHold: (id) => ask('GET', `/billing/holds/${id}`),
    updateHold: (id) => ask('PATCH', `/billing/holds/${id}`, { expires_in_seconds: 900 }),
    captureHold: (id) => ask('POST', `/billing/holds/${id}/capture`, { stars: 1 }),
    releaseHold: (id) => ask('POST', `/billing/holds/${id}/release`),
  };

  test.each(Object.entries(attempts))('%s: a hold is not there', async (_id, attempt) => {
    const of = async (id: string) => {
      const { body, status } = await attempt(id);
      return [status, { ...body.error, request_id: '' }];
    };
    const none = await of('none');
    expect(none[0]).toBe(404);
    for (const id of ['of-agent-2', 'of-nobody']) {
      expect([id, await of(id)]).toEqual([id, none]);
      expect((await organization.get(`/billing/holds/${id}`)).body.status).toBe('open');
    }
  });

  test('a spend is not there', async () => {
    for (const id of ['spent-by-agent-2', 'spent-by-nobody']) {
      expect([id, outcome(await ask('GET', `/billing/spends/${id}`))]).toEqual([id, 'not_found']);
      expect((await organization.get(`/billing/spends/${id}`)).status).toBe(200);
    }
    await ask('PUT', '/billing/spends/spent-by-me', { stars: 1 });
    expect((await ask('GET', '/billing/spends/spent-by-me')).body.spender).toBe('agent-1');
  });

  test('a list of holds has its own alone, on however many pages', async () => {
    const own: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const next: string = cursor && `&cursor=${cursor}`;
      const { body } = await ask('GET', `/billing/holds?limit=1${next}`);
      own.push(...body.items.map((one: { hold_id: string }) => one.hold_id));
      cursor = body.next_cursor;
    }
    expect(own).toContain('mine');
    expect(own).not.toContain('of-agent-2');
    const all = await organization.readAll('/billing/holds');
    const mine = all.filter(({ spender }) => spender === 'agent-1');
    expect(own).toEqual(mine.map(({ hold_id }) => hold_id));
    expect(all.length).toBeGreaterThan(mine.length);
  });

  test('its own hold can be extended and captured', async () => {
    expect((await attempts.updateHold!('mine')).status).toBe(200);
    const { status, body } = await attempts.captureHold!('mine');
    expect([status, body.captured_stars]).toEqual([200, 1]);
    expect((await ask('GET', '/billing/spends/mine')).body.spender).toBe('agent-1');
  });

  test('a key without a spender sees all', async () => {
    const any = await asKey(organization);
    for (const id of ['of-agent-2', 'of-nobody', 'mine']) {
      expect((await any('GET', `/billing/holds/${id}`)).status).toBe(200);
    }
    expect((await any('PUT', '/billing/spends/any', { stars: 1, spender: 'agent-2' })).status).toBe(
      201,
    );
  });

  test('each operation that spends is tried here', () => {
    const spending = routed.filter(({ permission }) => permission === 'stars:spend');
    const tried = [...Object.keys(attempts), 'putSpend', 'putHold', 'createSpends', 'listHolds'];
    expect(spending.map(({ id }) => id).toSorted()).toEqual(tried.toSorted());
  });
});
