import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { untakenLines } from '../../../../infra/monitoring/wallets.ts';
import { eventUpdate } from '../../../../lib/billing/events/event-update.ts';
import { extensionUpdate } from '../../../../lib/billing/holds/hold.ts';
import { captureUpdate } from '../../../../lib/billing/holds/hold-end.ts';
import { holdUpdate } from '../../../../lib/billing/holds/new-hold.ts';
import { spendUpdate } from '../../../../lib/billing/spends/spend.ts';
import { eventRecordKind } from '../../../../lib/billing/stored/event-record.ts';
import { spendCounterKind } from '../../../../lib/billing/stored/limits/spend-counter.ts';
import { limitKind } from '../../../../lib/billing/stored/limits/spend-limit.ts';
import { subscriptionOwnerKind } from '../../../../lib/billing/stored/subscription-owner.ts';
import { emptyWallet } from '../../../../lib/billing/stored/wallet.ts';
import {
  putWaitingRequest,
  waitingRequestOf,
} from '../../../../lib/billing/writer/waiting/waiting-request.ts';
import type { UpdateContent } from '../../../../lib/billing/writer/wallet-update.ts';
import type { Item } from '../../../../lib/table/table.ts';
import { itemOf } from '../../../support/billing-items.ts';
import { matches } from '../../../support/filter-pattern.ts';
import { someOrigin } from '../../../support/origin.ts';
import { seed } from '../../../support/random.ts';
import type { SimulatedStep } from '../../../support/simulated-store.ts';
import { LimitedSimulation } from '../limits/limited-simulation.ts';
import { atOnce, codeOf, longEnoughMs } from './at-once.ts';
import { type Answer, WalletSimulation, walletWith } from './wallet-simulation.ts';

// How requests wait for one wallet, in virtual time. With faults: waiting-faults.test.ts.

beforeAll(() => void vi.stubEnv('TABLE_NAME', 'Simulated'));
afterAll(() => void vi.unstubAllEnvs());

const dayMs = 86_400_000;

const spendOf = (
  { organizationId }: WalletSimulation,
  stars = 1,
  event_id: string = randomUUID(),
): UpdateContent => spendUpdate(organizationId, { event_id, stars });

const many = 100;

test('each of a hundred that meet has its own answer: its own balance, and its name and request in the entry', async () => {
  const simulation = new WalletSimulation(seed);
  const asked = Array.from({ length: many }, () => [spendOf(simulation)]);
  const answers = await atOnce(simulation, asked);
  const entries = simulation.ledger();
  expect(entries).toHaveLength(many);
  for (const [i, answer] of answers.entries()) {
    expect(codeOf(answer)).toBe('made');
    const entry = entries.find(({ event_id }) => event_id === asked[i]![0]!.cause.event_id);
    expect(entry).toMatchObject({
      user_id: answer.origin.by,
      request_id: answer.origin.requestId,
    });
    const [result] = answer.results;
    const balance = result && 'record' in result ? result.record.balance : undefined;
    expect(balance?.pack_stars).toBe(entry!.pack_after);
  }
  expect(simulation.waiting()).toEqual([]);
});

test('of fifty tries of one spend that meet, one makes it, and the others are repeats', async () => {
  const simulation = new WalletSimulation(seed);
  const id = randomUUID();
  const asked = Array.from({ length: 50 }, () => [spendOf(simulation, 1, id)]);
  const codes = (await atOnce(simulation, asked)).map((one) => codeOf(one)).toSorted();
  expect(codes).toEqual(['made', ...Array(49).fill('repeat')]);
  expect(simulation.ledger()).toHaveLength(1);
});

test('of a hundred that meet at 70 stars, 70 are made, and the others are told that there are too few', async () => {
  const simulation = new WalletSimulation(seed, { ...emptyWallet, pack_stars: 70 });
  const asked = Array.from({ length: many }, () => [spendOf(simulation)]);
  const answers = await atOnce(simulation, asked);
  const codes = answers.map((one) => codeOf(one));
  expect(codes.filter((code) => code === 'made')).toHaveLength(70);
  expect(codes.filter((code) => code === 'insufficient_stars')).toHaveLength(30);
  expect(simulation.ledger().at(-1)?.pack_after).toBe(0);
  const madeIds = asked.flatMap(([one], i) => (codes[i] === 'made' ? one!.cause.event_id : []));
  expect(
    simulation
      .ledger()
      .map(({ event_id }) => event_id)
      .toSorted(),
  ).toEqual(madeIds.toSorted());
});

test('batches that meet are each made whole, with an outcome of its own for each spend', async () => {
  const simulation = new WalletSimulation(seed);
  const taken = spendOf(simulation, 2);
  const asked = Array.from({ length: 12 }, () => [
    ...Array.from({ length: 24 }, () => spendOf(simulation)),
    taken,
  ]);
  const answers = await atOnce(simulation, asked);
  const codes = answers.flatMap((one) => one.results.map((_, i) => codeOf(one, i)));
  expect(codes.filter((code) => code === 'made')).toHaveLength(12 * 24 + 1);
  expect(codes.filter((code) => code === 'repeat')).toHaveLength(11);
  expect(simulation.ledger()).toHaveLength(12 * 24 + 1);
});

test('a hundred extensions of one hold that meet leave a hundred entries', async () => {
  const simulation = new WalletSimulation(seed);
  const id = randomUUID();
  await atOnce(simulation, [[holdUpdate(id, { stars: 5, expires_in_seconds: 60 })]]);
  const asked = Array.from({ length: many }, () => [extensionUpdate(id, 600)]);
  const answers = await atOnce(simulation, asked);
  expect(answers.map((one) => codeOf(one))).toEqual(Array(many).fill('made'));
  expect(simulation.ledger()).toHaveLength(1 + many);
});

test('captures of one hold that meet end it once: the same ones are repeats, another hears how it ended', async () => {
  const simulation = new WalletSimulation(seed);
  const id = randomUUID();
  await atOnce(simulation, [[holdUpdate(id, { stars: 5, expires_in_seconds: 60 })]]);
  const asked = Array.from({ length: 20 }, (_, i) => [captureUpdate(id, { stars: 1 + (i % 2) })]);
  const codes = (await atOnce(simulation, asked)).map((one) => codeOf(one)).toSorted();
  expect(codes).toEqual([
    ...Array(10).fill('already_captured'),
    'made',
    ...Array(9).fill('repeat'),
  ]);
});

test('a request counts its own units, not those of what it carries out along', async () => {
  const simulation = new WalletSimulation(seed);
  const asked = Array.from({ length: many }, () => [spendOf(simulation)]);
  const answers = await atOnce(simulation, asked);
  const written = answers.map(({ units }) => units.written);
  const read = answers.map(({ units }) => units.read);
  // Wallet, record and entry, also of the race that it loses, and its own request, which is put and removed.
  expect(Math.min(...written)).toBeGreaterThanOrEqual(6);
  expect(Math.max(...written)).toBeLessThanOrEqual(6 + 6 + 4);
  // What is read of others would be hundreds.
  expect(Math.max(...read)).toBeLessThan(100);
});

const conflict = () =>
  Object.assign(new Error('injected'), {
    name: 'TransactionCanceledException',
    CancellationReasons: [{ Code: 'TransactionConflict' }],
    $metadata: { httpStatusCode: 400 },
  });

test('who took its request back as its time was up is refused for good: also whoever had read it then can’t carry it out', async () => {
  const simulation = new WalletSimulation(seed);
  const { clock } = simulation;
  const [refused, other] = [spendOf(simulation), spendOf(simulation)];
  let isTold = false;
  /** The race is lost, and what waits is left; then transactions meet with this. */
  const losing = (then: (pass: () => Promise<unknown>) => Promise<unknown>): SimulatedStep => {
    let count = 0;
    return (name, pass) => {
      if (name !== 'TransactWriteCommand') return pass();
      count++;
      if (count === 1) throw conflict();
      return count === 2 ? pass() : then(pass);
    };
  };
  const answers: Answer[] = [];
  // What it began before its time was up ends a moment later.
  const endsAt = clock.now + 8600;
  clock.after(0, async () => {
    const never = losing(async (pass) => {
      if (clock.now < endsAt) throw conflict();
      return pass();
    });
    answers[0] = await simulation.send({ contents: [refused] }, { step: never });
    isTold = true;
  });
  clock.after(6500, async () => {
    const heldUp = losing(async (pass) => {
      while (!isTold) await clock.sleep(100);
      return pass();
    });
    answers[1] = await simulation.send({ contents: [other] }, { step: heldUp });
  });
  await clock.run(longEnoughMs);
  expect(answers.map((one) => codeOf(one))).toEqual(['write_conflict', 'made']);
  expect(simulation.ledger().map(({ event_id }) => event_id)).toEqual([other.cause.event_id]);
});

interface LeftRequest {
  until?: number;
  change?: (item: Item) => Item;
}

/** Puts the request of a sender that is dead. */
const leave = (
  { organizationId, clock, store }: WalletSimulation,
  content: UpdateContent,
  { until = clock.now + 8000, change = (item) => item }: LeftRequest = {},
): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: clock.now });
  const update = { ...content, origin: someOrigin, spender: undefined };
  const request = waitingRequestOf([update], until);
  vi.useRealTimers();
  store.put(change(itemOf(putWaitingRequest(organizationId, request))) as Item);
};

/** Leaves so many spends, and returns the ids of their events. */
const plant = (simulation: WalletSimulation, count: number, left?: LeftRequest): string[] =>
  Array.from({ length: count }, () => {
    const content = spendOf(simulation);
    leave(simulation, content, left);
    return content.cause.event_id;
  });

const entryIds = (simulation: WalletSimulation) =>
  simulation.ledger().map(({ event_id }) => event_id ?? '');

/** Two that meet, so that one of them waits. */
const pair = (simulation: WalletSimulation) =>
  atOnce(simulation, [[spendOf(simulation)], [spendOf(simulation)]]);

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

test('what waited and was refused meanwhile is decided by its own sender, as if alone', async () => {
  const simulation = new WalletSimulation(seed, { ...walletWith(0), pack_stars: 10 });
  const asked = [[spendOf(simulation, 6)], [spendOf(simulation, 6)], [spendOf(simulation, 4)]];
  const answers = await atOnce(simulation, asked);
  const codes = answers.map((one) => codeOf(one));
  expect(codes.slice(0, 2).toSorted()).toEqual(['insufficient_stars', 'made']);
  expect(codes[2]).toBe('made');
  expect(simulation.wallet().pack_stars).toBe(0);
});

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
