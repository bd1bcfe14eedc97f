import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { operation as applyWalletEvents } from '../../../../functions/billing/apply-wallet-events.ts';
import { untakenLines } from '../../../../infra/monitoring/wallets.ts';
import { eventUpdate } from '../../../../lib/billing/events/event-update.ts';
import { captureUpdate } from '../../../../lib/billing/holds/hold-end.ts';
import { holdUpdate } from '../../../../lib/billing/holds/new-hold.ts';
import { spendUpdate } from '../../../../lib/billing/spends/spend.ts';
import { eventRecordKind } from '../../../../lib/billing/stored/event-record.ts';
import { spendCounterKind } from '../../../../lib/billing/stored/limits/spend-counter.ts';
import { limitKind } from '../../../../lib/billing/stored/limits/spend-limit.ts';
import { subscriptionOwnerKind } from '../../../../lib/billing/stored/subscription-owner.ts';
import { walletKind } from '../../../../lib/billing/stored/wallet.ts';
import type { UpdateContent } from '../../../../lib/billing/writer/wallet-update.ts';
import { places } from '../../../../lib/table/keys.ts';
import { timeBoundsAfter } from '../../../../lib/table/retry.ts';
import type { Item } from '../../../../lib/table/table.ts';
import { matches } from '../../../support/filter-pattern.ts';
import { random, seed } from '../../../support/random.ts';
import { LimitedSimulation } from '../limits/limited-simulation.ts';
import { atOnce, codeOf } from './at-once.ts';
import { fateOf } from './fates.ts';
import { entryIds, leave, pair, plant, spendOf } from './left-requests.ts';
import { type Answer, WalletSimulation } from './wallet-simulation.ts';

// What becomes of waiting requests whose senders are dead.

beforeAll(() => void vi.stubEnv('TABLE_NAME', 'Simulated'));
afterAll(() => void vi.unstubAllEnvs());

const dayMs = 86_400_000;

test('what dead senders left is carried out once while their time lasts, and removed without effect after it', async () => {
  const simulation = new WalletSimulation(seed);
  const { now } = simulation.clock;
  const over = plant(simulation, 1500, { until: now - 1 });
  const timely = plant(simulation, 40, { until: now + 3_600_000 });
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const rounds: Answer[] = [];
  for (let n = 0; n < 25; n++) rounds.push(...(await pair(simulation)));
  expect(rounds.map((one) => codeOf(one))).toEqual(rounds.map(() => 'made'));
  const ids = entryIds(simulation);
  expect(ids.filter((id) => over.includes(id))).toEqual([]);
  expect(ids.filter((id) => timely.includes(id)).toSorted()).toEqual(timely.toSorted());
  expect(simulation.waiting()).toEqual([]);
  expect(warn).toHaveBeenCalledTimes(1500);
  // As the metric filter of the alarm finds them.
  expect(warn.mock.calls.every(([message]) => matches(untakenLines, { message }))).toBe(true);
  warn.mockRestore();
});

const asJson = (item: Item, change: (update: Record<string, unknown>) => object): Item => ({
  ...item,
  updates: JSON.stringify([change(JSON.parse(String(item.updates))[0])]),
});
const withCause = (item: Item, fields: object): Item =>
  asJson(item, (update) => ({
    ...update,
    cause: JSON.stringify({ ...JSON.parse(String(update.cause)), ...fields }),
  }));

test.each<[string, (item: Item) => Item]>([
  ['no JSON', (item) => ({ ...item, updates: '{' })],
  ['no updates', (item) => ({ ...item, updates: '[]' })],
  ['no text', (item) => ({ ...item, updates: 7 })],
  ['no time', ({ until: _, ...item }) => item],
  ['of another organization', (item) => withCause(item, { organization_id: randomUUID() })],
  ['fewer than no stars', (item) => withCause(item, { stars: -5 })],
  ['a field that nobody knows', (item) => withCause(item, { gift: true })],
  ['of no known type', (item) => withCause(item, { type: 'stars.minted' })],
  [
    'another’s spender',
    (item) => asJson(withCause(item, { spender: 'b' }), (one) => ({ ...one, spender: 'a' })),
  ],
  ['no ticket', (item) => asJson(item, ({ ticket: _, ...one }) => one)],
])(
  'a request that says %s is removed without effect, and those after it are carried out',
  async (_, change) => {
    const simulation = new WalletSimulation(seed);
    const bad = plant(simulation, 3, { change });
    const good = plant(simulation, 3);
    const answers = await pair(simulation);
    expect(answers.map((one) => codeOf(one))).toEqual(['made', 'made']);
    const ids = entryIds(simulation);
    expect(ids.filter((id) => bad.includes(id))).toEqual([]);
    expect(ids.filter((id) => good.includes(id))).toHaveLength(3);
    expect(simulation.waiting()).toEqual([]);
  },
);

test('a request whose record can’t be read is removed without effect, and the others are carried out', async () => {
  const simulation = new WalletSimulation(seed);
  const { organizationId, store } = simulation;
  const [bad = '', ...good] = plant(simulation, 3);
  store.put({ ...eventRecordKind.key({ organizationId, eventId: bad }), version: 'x' });
  const answers = await pair(simulation);
  expect(answers.map((one) => codeOf(one))).toEqual(['made', 'made']);
  expect(
    entryIds(simulation)
      .filter((id) => [bad, ...good].includes(id))
      .toSorted(),
  ).toEqual(good.toSorted());
  expect(simulation.waiting()).toEqual([]);
});

test.each([
  ['counter', spendCounterKind],
  ['limit', limitKind],
])(
  'a request whose %s can’t be read is removed without effect, and the others are carried out',
  async (_, kind) => {
    const simulation = new LimitedSimulation(seed, { 'default/spender': 10 });
    const { organizationId, store } = simulation;
    const spendsOf = (name: string) =>
      ['a', 'b'].map((id) =>
        spendUpdate(organizationId, { event_id: `${name}-${id}`, stars: 1, spender: name }),
      );
    store.put({
      ...kind.key({ organizationId, kind: 'spender', name: 'eve' }),
      stars: 'x',
      version: 'x',
    });
    for (const content of [...spendsOf('eve'), ...spendsOf('ada')]) leave(simulation, content);
    const answers = await pair(simulation);
    expect(answers.map((one) => codeOf(one))).toEqual(['made', 'made']);
    expect(entryIds(simulation).filter((id) => id.startsWith('eve'))).toEqual([]);
    expect(entryIds(simulation).filter((id) => id.startsWith('ada'))).toHaveLength(2);
    expect(simulation.waiting()).toEqual([]);
    expect(simulation.counter('spender/ada')?.total).toBe(2);
  },
);

test('what Stripe says and waits is carried out along: a subscription stays whose it is, and a repeat is known as one', async () => {
  const simulation = new WalletSimulation(seed);
  const { organizationId: organization_id, clock, store } = simulation;
  const [from, until] = [clock.now - dayMs, clock.now + 29 * dayMs];
  const paid = (id: string, subscription_id: string): UpdateContent => ({
    ...eventUpdate({
      type: 'subscription.paid',
      event_id: `stripe:${id}`,
      organization_id,
      subscription_id,
      lines: [{ from, until, monthly_grant_stars: 100, tier: 'pro' }],
    }),
    fingerprint: `what Stripe said of ${id}`,
  });
  const ownerKey = (subscription: string) => subscriptionOwnerKind.key({ subscription });
  store.put({ ...ownerKey('other'), organization_id: randomUUID() });
  const [invoice, ofOthers] = [paid('in_1', 'own'), paid('in_2', 'other')];
  for (const one of [invoice, ofOthers]) leave(simulation, one);
  const answers = await pair(simulation);
  expect(answers.map((one) => codeOf(one))).toEqual(['made', 'made']);
  expect(simulation.waiting()).toEqual([]);
  const ids = entryIds(simulation);
  expect(ids).toContain(invoice.cause.event_id);
  expect(ids).not.toContain(ofOthers.cause.event_id);
  expect(store.get(ownerKey('own'))).toMatchObject({ organization_id });
  const again = [[invoice], [{ ...invoice, fingerprint: 'something else' }]];
  const codes = (await atOnce(simulation, again)).map((one) => codeOf(one));
  expect(codes).toEqual(['repeat', 'event_id_reused']);
});

test('a request that makes the decision throw is removed without effect, and the others are carried out', async () => {
  const simulation = new WalletSimulation(seed);
  const { organizationId, store } = simulation;
  const id = randomUUID();
  await atOnce(simulation, [[holdUpdate(id, { stars: 5, expires_in_seconds: 600 })]]);
  // A hold that has more than the wallet holds: no wallet can be what its capture would make.
  const key = eventRecordKind.key({ organizationId, eventId: id });
  const record = store.get(key)!;
  const { hold } = eventRecordKind.parse(record);
  const lots = hold!.lots.map((lot) => ({ ...lot, stars: 1000 }));
  store.put({ ...record, hold: { ...hold, lots } });
  leave(simulation, captureUpdate(id, {}));
  const good = plant(simulation, 3);
  const answers = await pair(simulation);
  expect(answers.map((one) => codeOf(one))).toEqual(['made', 'made']);
  expect(entryIds(simulation)).toEqual(expect.arrayContaining(good));
  expect(simulation.ledger().map(({ type }) => type)).not.toContain('hold.captured');
  expect(simulation.waiting()).toEqual([]);
});

test(`what time removes early is made once by its own sender, which is there still (SEED=${seed})`, async () => {
  const simulation = new WalletSimulation(seed);
  const { clock, store, organizationId } = simulation;
  const next = random(seed);
  let removed = 0;
  for (let n = 0; n < 100; n++) {
    clock.after(5 + next() * 600, () => {
      for (const sk of simulation.waiting().slice(0, 1)) {
        store.remove({ pk: places.waitingRequest.partition({ organizationId }), sk });
        removed++;
      }
    });
  }
  const asked = Array.from({ length: 60 }, () => [spendOf(simulation)]);
  const answers = await atOnce(simulation, asked);
  expect(removed).toBeGreaterThan(10);
  expect(answers.map((one) => codeOf(one))).toEqual(asked.map(() => 'made'));
  const ids = asked.map(([one]) => one!.cause.event_id);
  expect(entryIds(simulation).toSorted()).toEqual(ids.toSorted());
});

test('where a wallet is erased while many wait for it, they hear that there is no such organization, and nothing is left', async () => {
  const simulation = new WalletSimulation(seed);
  const { clock, store, organizationId } = simulation;
  clock.after(100, () => store.remove(walletKind.key({ organizationId })));
  const answers = await atOnce(
    simulation,
    Array.from({ length: 60 }, () => [spendOf(simulation)]),
  );
  const codes = Map.groupBy(answers, (one) => codeOf(one));
  expect([...codes.keys()].toSorted()).toEqual(['invalid_request', 'made']);
  expect(simulation.waiting()).toEqual([]);
});

test.each([
  ['somebody carries out', true],
  ['nobody finds', false],
])(
  'a worker of the bus that dies anywhere: its redelivery succeeds, once, where %s what it left',
  async (_, isFound) => {
    let wasStruck = true;
    let left = 0;
    for (let at = 1; wasStruck; at++) {
      const simulation = new WalletSimulation(seed + at);
      const { clock, store, organizationId } = simulation;
      const event = {
        content: {
          type: 'pack.purchased' as const,
          organization_id: organizationId,
          event_id: 'p',
          stars: 5,
          expires_at: clock.now + dayMs,
          payment: 'pi_1',
        },
        busEventId: 'bus-1',
        fingerprint: undefined,
      };
      const deliver = (
        step = fateOf(simulation, { fate: 'dies after', at: 0, heldMs: 0 }).step,
      ) => {
        const table = store.open(step).during(timeBoundsAfter(9500));
        return applyWalletEvents.handle([event], table as never);
      };
      const { step, count } = fateOf(simulation, {
        fate: 'dies after',
        at,
        heldMs: 0,
        losesRace: true,
      });
      clock.after(0, () => void deliver(step));
      await clock.run(1000);
      left += simulation.waiting().length;
      if (isFound) await pair(simulation);
      const redelivered: unknown[] = [];
      clock.after(0, async () => redelivered.push(await deliver()));
      await clock.run(30_000);
      expect(redelivered, `dead after request ${at}`).toEqual([[undefined]]);
      await pair(simulation);
      const ofEvent = simulation.ledger().filter(({ event_id }) => event_id === 'p');
      expect(ofEvent, `dead after request ${at}`).toHaveLength(1);
      expect(ofEvent[0]?.request_id).toBe('bus-1');
      expect(simulation.waiting()).toEqual([]);
      wasStruck = count() >= at;
    }
    // It died with its request left, at several requests.
    expect(left).toBeGreaterThan(2);
  },
);
