import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { extensionUpdate } from '../../../../lib/billing/holds/hold.ts';
import { captureUpdate, releaseUpdate } from '../../../../lib/billing/holds/hold-end.ts';
import { holdUpdate } from '../../../../lib/billing/holds/new-hold.ts';
import { spendUpdate } from '../../../../lib/billing/spends/spend.ts';
import { emptyWallet } from '../../../../lib/billing/stored/wallet.ts';
import type { UpdateContent } from '../../../../lib/billing/writer/wallet-update.ts';
import { seed } from '../../../support/random.ts';
import type { SimulatedStep } from '../../../support/simulated-store.ts';
import { LimitedSimulation } from '../limits/limited-simulation.ts';
import { atOnce, codeOf, longEnoughMs } from './at-once.ts';
import { conflict } from './fates.ts';
import { entryIds, plant, spendOf } from './left-requests.ts';
import { type Answer, WalletSimulation, walletWith } from './wallet-simulation.ts';

// How requests wait for one wallet, in virtual time. What dead senders left: waiting-left.test.ts. With faults:
// waiting-kinds.test.ts and waiting-faults.test.ts.

beforeAll(() => void vi.stubEnv('TABLE_NAME', 'Simulated'));
afterAll(() => void vi.unstubAllEnvs());

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
  expect(entryIds(simulation).toSorted()).toEqual(madeIds.toSorted());
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
  expect(entryIds(simulation)).toEqual([other.cause.event_id]);
});

test('what waited and was refused meanwhile is decided by its own sender, as if alone', async () => {
  const simulation = new WalletSimulation(seed, { ...walletWith(0), pack_stars: 10 });
  const asked = [[spendOf(simulation, 6)], [spendOf(simulation, 6)], [spendOf(simulation, 4)]];
  const answers = await atOnce(simulation, asked);
  const codes = answers.map((one) => codeOf(one));
  expect(codes.slice(0, 2).toSorted()).toEqual(['insufficient_stars', 'made']);
  expect(codes[2]).toBe('made');
  expect(simulation.wallet().pack_stars).toBe(0);
});

const limited = { 'default/spender': 10 };
const ada = { spender: 'ada' };

/** What is asked, and what comes between its lost race and its turn. */
type Between = (simulation: WalletSimulation, holdId: string) => [UpdateContent, UpdateContent];

test.each<[string, Between]>([
  ['insufficient_stars', (simulation) => [spendOf(simulation, 60), spendOf(simulation, 60)]],
  [
    'spend_limit_reached',
    ({ organizationId }) => [
      spendUpdate(organizationId, { event_id: 'own', stars: 6, ...ada }),
      spendUpdate(organizationId, { event_id: 'other', stars: 6, ...ada }),
    ],
  ],
  ['event_id_reused', (simulation) => [spendOf(simulation, 1, 'x'), spendOf(simulation, 2, 'x')]],
  ['already_released', (_, id) => [captureUpdate(id, { stars: 2 }), releaseUpdate(id)]],
  ['already_captured', (_, id) => [extensionUpdate(id, 600), captureUpdate(id, { stars: 2 })]],
])(
  'who has its turn and is refused by then with %s carries out the others all the same, and leaves nothing',
  async (code, between) => {
    const wallet = { ...emptyWallet, pack_stars: 100 };
    const simulation = new LimitedSimulation(seed, limited, wallet);
    const holdId = randomUUID();
    await atOnce(simulation, [[holdUpdate(holdId, { stars: 5, expires_in_seconds: 300 })]]);
    const [own, other] = between(simulation, holdId);
    const planted = plant(simulation, 3);
    let transactions = 0;
    let told: Answer | undefined;
    const step: SimulatedStep = async (name, pass) => {
      if (name !== 'TransactWriteCommand') return pass();
      transactions++;
      if (transactions === 1) throw conflict();
      const left = await pass();
      if (transactions === 2) await simulation.send({ contents: [other] });
      return left;
    };
    simulation.clock.after(0, async () => {
      told = await simulation.send({ contents: [own] }, { step });
    });
    await simulation.clock.run(longEnoughMs);
    expect(codeOf(told!)).toBe(code);
    const entries = simulation.ledger();
    expect(entries.filter(({ request_id }) => request_id === told!.origin.requestId)).toEqual([]);
    expect(entries.map(({ event_id }) => event_id)).toEqual(expect.arrayContaining(planted));
    // The lost race, what is left, and one for all.
    expect(transactions).toBe(3);
    expect(simulation.waiting()).toEqual([]);
    simulation.audit();
  },
);
