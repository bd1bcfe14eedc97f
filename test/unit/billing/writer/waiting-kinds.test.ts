import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventUpdate } from '../../../../lib/billing/events/event-update.ts';
import { extensionUpdate } from '../../../../lib/billing/holds/hold.ts';
import { captureUpdate, releaseUpdate } from '../../../../lib/billing/holds/hold-end.ts';
import { holdUpdate } from '../../../../lib/billing/holds/new-hold.ts';
import { spendUpdate } from '../../../../lib/billing/spends/spend.ts';
import type { UpdateContent } from '../../../../lib/billing/writer/wallet-update.ts';
import { ApiError } from '../../../../lib/errors/errors.ts';
import { seed } from '../../../support/random.ts';
import { some } from '../../../support/some.ts';
import { type Fate, fateOf, fates, isInjected } from './fates.ts';
import { type Answer, WalletSimulation } from './wallet-simulation.ts';

// Every fault at every request of a sender that waits, for all that is asked of a wallet. By chance: waiting-faults.test.ts.

beforeAll(() => void vi.stubEnv('TABLE_NAME', 'Simulated'));
afterAll(() => void vi.unstubAllEnvs());

const second = 1000;
const dayMs = 86_400_000;
const holdId = 'hold-1';
/** How long what is held up or late takes. */
const heldMs = 3 * second;
/** When whoever asked sends it again: early, and late. */
const [soonMs, lateMs] = [0.7 * second, 12 * second];
/** What nobody had carried out by then is over: docs/stars.md. */
const overMs = 21 * second;

type Kind = (simulation: WalletSimulation) => UpdateContent[];

const kinds: Record<string, Kind> = {
  'a spend': ({ organizationId }) => [spendUpdate(organizationId, { event_id: 'e', stars: 2 })],
  'a batch': ({ organizationId }) =>
    ['e', 'f', 'g'].map((event_id) => spendUpdate(organizationId, { event_id, stars: 2 })),
  'a hold': () => [holdUpdate('h', { stars: 3, expires_in_seconds: 600 })],
  'an extension': () => [extensionUpdate(holdId, 900)],
  'a capture': () => [captureUpdate(holdId, { stars: 2 })],
  'a release': () => [releaseUpdate(holdId)],
  'a purchase': ({ organizationId }) => [
    eventUpdate({
      type: 'pack.purchased',
      organization_id: organizationId,
      event_id: 'p',
      stars: 50,
      payment: `payment of ${organizationId}`,
    }),
  ],
  'what was paid': ({ organizationId, clock: { now } }) => [
    eventUpdate({
      type: 'subscription.paid',
      organization_id: organizationId,
      event_id: 's',
      subscription_id: 'sub',
      lines: [{ from: now - dayMs, until: now + 29 * dayMs, monthly_grant_stars: 100, tier: 'a' }],
    }),
  ],
};

/** What a sender was told of each of its updates. */
interface Told {
  requestId?: string;
  codes: (string | undefined)[];
}

const codesOf = ({ results }: Answer): Told['codes'] =>
  results.map((result) => {
    if ('record' in result) return result.isRepeat ? 'repeat' : 'made';
    if (result.error instanceof ApiError) return result.error.code;
    if (!isInjected(result.error)) throw result.error;
    return undefined;
  });

/** Codes after which nobody knows what became of it; undefined where there was no answer, or the service failed. */
const unknown: readonly (string | undefined)[] = [undefined, 'timeout', 'unavailable', 'internal'];

const play = async (kind: Kind, fate: Fate, at: number) => {
  const simulation = new WalletSimulation(seed + at);
  const { clock, organizationId } = simulation;
  const open = [holdUpdate(holdId, { stars: 5, expires_in_seconds: 300 })];
  clock.after(0, () => void simulation.send({ contents: open }));
  await clock.run(second);
  const contents = kind(simulation);
  const told: Told[] = [];
  const send = async (options = {}) => {
    const one: Told = { codes: [] };
    told.push(one);
    // What fails before anything is asked of the wallet has no answer of its own.
    const answer = await simulation.send({ contents }, options).catch((error) => {
      if (!isInjected(error) && !(error instanceof ApiError)) throw error;
    });
    if (!answer) return;
    one.requestId = answer.origin.requestId;
    one.codes = codesOf(answer);
  };
  const spend = () =>
    simulation.send({
      contents: [spendUpdate(organizationId, { event_id: randomUUID(), stars: 1 })],
    });
  const { step, count } = fateOf(simulation, { fate, at, heldMs, losesRace: true });
  const start = clock.now;
  clock.after(0, () => void send({ step }));
  for (const afterMs of [soonMs, lateMs]) clock.after(afterMs, () => void send());
  // Others come in pairs, so that each time one of them waits.
  for (let n = 0; n < 24; n++) {
    clock.after(n * second, () => {
      for (let i = 0; i < 2; i++) void spend();
    });
  }
  await clock.run(30 * second);
  return { simulation, contents, told, start, wasStruck: count() >= at };
};

const strike = async (name: string, kind: Kind, fate: Fate, at: number): Promise<boolean> => {
  const { simulation, contents, told, start, wasStruck } = await play(kind, fate, at);
  const message = `${name}, of which request ${at} ${fate}: ${JSON.stringify(told)}`;
  const entries = simulation.ledger();
  for (const [i, { cause }] of contents.entries()) {
    const own = entries.filter(
      ({ event_id, type }) => event_id === cause.event_id && type === cause.type,
    );
    const tries = own.map(({ request_id }) => request_id);
    // An extension that is sent again later extends once more; all else has one entry.
    const most = cause.type === 'hold.extended' ? told.length : 1;
    expect(own.length, message).toBeGreaterThanOrEqual(1);
    expect(own.length, message).toBeLessThanOrEqual(most);
    expect(new Set(tries).size, message).toBe(tries.length);
    for (const { requestId, codes } of told) {
      if (codes[i] === 'made') expect(tries, message).toContain(requestId);
      else if (!unknown.includes(codes[i])) expect(tries, message).not.toContain(requestId);
    }
    // Who sends it again undisturbed is always told that it is done.
    for (const { codes } of told.slice(1)) expect(['made', 'repeat'], message).toContain(codes[i]);
    for (const { version } of own) {
      expect(simulation.writtenAt(version) - start, message).toBeLessThanOrEqual(lateMs + overMs);
    }
  }
  expect(simulation.waiting(), message).toEqual([]);
  return wasStruck;
};

const cases = Object.entries(kinds).flatMap(([name, kind]) =>
  fates.map((fate) => [name, fate, kind] as const),
);

test.each(some(cases, 10, 'faults of what waits'))(
  `%s that waits, where one of its requests %s: made once, and each is told what is true (SEED=${seed})`,
  async (name, fate, kind) => {
    let at = 1;
    while (await strike(name, kind, fate, at)) at++;
    // What is read first, the lost race, what is left, a look, all that combining reads, and its transaction.
    expect(at).toBeGreaterThan(6);
  },
);
