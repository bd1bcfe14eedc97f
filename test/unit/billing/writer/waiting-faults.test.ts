import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventUpdate } from '../../../../lib/billing/events/event-update.ts';
import { spendUpdate } from '../../../../lib/billing/spends/spend.ts';
import { emptyWallet } from '../../../../lib/billing/stored/wallet.ts';
import { ApiError } from '../../../../lib/errors/errors.ts';
import { chance, pick, type Random, random, seed } from '../../../support/random.ts';
import type { SimulatedStep } from '../../../support/simulated-store.ts';
import { times } from '../../../support/some.ts';
import { LimitedSimulation } from '../limits/limited-simulation.ts';
import type { WalletSimulation } from './wallet-simulation.ts';

// Senders that are killed, held up or get no answer, at any request of theirs, while others carry out what they left.

beforeAll(() => void vi.stubEnv('TABLE_NAME', 'Simulated'));
afterAll(() => void vi.unstubAllEnvs());

const fates = ['dies before', 'dies after', 'held up', 'arrives late', 'no answer'] as const;
type Fate = (typeof fates)[number];

const never = new Promise<never>(() => {});
const lostReply = () =>
  Object.assign(new Error('lost'), {
    name: 'InternalServerError',
    $metadata: { httpStatusCode: 500 },
  });

/** What befalls the request of this number to the table. The function that waits for it may die meanwhile. */
const stepOf = (
  { clock }: WalletSimulation,
  fate: Fate,
  at: number,
  heldMs: number,
): { step: SimulatedStep; count: () => number } => {
  let count = 0;
  let isDead = false;
  const step: SimulatedStep = async (_name, pass) => {
    if (isDead) return never;
    if (++count !== at) return pass();
    switch (fate) {
      case 'dies before':
        isDead = true;
        return never;
      case 'dies after':
        isDead = true;
        await pass();
        return never;
      case 'held up':
        await clock.sleep(heldMs);
        return pass();
      case 'arrives late':
        // The function is killed, and what it had sent arrives after that, within its time.
        isDead = true;
        await clock.sleep(heldMs);
        await pass();
        return never;
      case 'no answer':
        await pass();
        throw lostReply();
    }
  };
  return { step, count: () => count };
};

/** What a client knows of its spend. */
interface Told {
  eventId: string;
  requestId?: string;
  /** Undefined where it got no answer. */
  code?: string;
  notAfter: number | undefined;
  sentAt: number;
  toldAt?: number;
}

const unknown = new Set([undefined, 'timeout', 'unavailable']);

/** Every second spend is of a spender with a limit. */
const purposeOf = (eventId: string) => (/[02468]$/.test(eventId) ? { spender: 'ada' } : {});

const spendAll = async (simulation: WalletSimulation, next: Random, disturbed: number) => {
  const { clock, organizationId } = simulation;
  const all: Told[] = [];
  const repeats: (() => Promise<void>)[] = [];
  const send = async (eventId: string, notAfter: number | undefined) => {
    const told: Told = { eventId, notAfter, sentAt: clock.now };
    all.push(told);
    const isDisturbed = chance(next, disturbed);
    const fate = pick(next, fates);
    const { step } = stepOf(simulation, fate, 1 + Math.floor(next() * 9), next() * 6000);
    const contents = [
      {
        ...spendUpdate(organizationId, { event_id: eventId, stars: 1, ...purposeOf(eventId) }),
        not_after: notAfter,
      },
    ];
    const answer = await simulation
      .send({ contents }, { step: isDisturbed ? step : undefined })
      // What fails before it changes anything is told as it is.
      .catch((error) => ({ origin: undefined, results: [{ error }] }));
    const [result] = answer.results;
    told.toldAt = clock.now;
    if (answer.origin) told.requestId = answer.origin.requestId;
    if (result && 'record' in result) {
      told.code = result.isRepeat ? 'repeat' : 'made';
    } else {
      if (!(result?.error instanceof ApiError)) throw result?.error;
      told.code = result.error.code;
    }
  };
  const seconds = 6;
  for (let n = 0; n < 60 * seconds; n++) {
    const at = next() * seconds * 1000;
    const eventId = `e-${n}`;
    clock.after(at, () => {
      const notAfter = chance(next, 0.4) ? clock.now + Math.floor(next() * 3000) : undefined;
      repeats.push(() => send(eventId, notAfter));
      void send(eventId, notAfter);
      if (chance(next, 0.2)) void send(eventId, notAfter);
    });
  }
  // Stars come now and then, so that some are refused, and would succeed later.
  for (let second = 1; second < 25; second++) {
    clock.after(second * 1000, () => {
      const event = {
        type: 'pack.purchased' as const,
        organization_id: organizationId,
        event_id: `p-${second}`,
        stars: 30,
      };
      void simulation.send({ contents: [eventUpdate(event)] }).catch(() => {});
    });
  }
  await clock.run(45_000);
  return all;
};

test(`nothing is made twice, nor after it was refused, whoever dies or is held up (SEED=${seed})`, async () => {
  const seen = new Map<string | undefined, number>();
  for (let round = 0; round < times(6, 60); round++) {
    const next = random(seed + round);
    const simulation = new LimitedSimulation(
      seed + round,
      { 'default/spender': 70 },
      { ...emptyWallet, pack_stars: 60 },
    );
    const told = await spendAll(simulation, next, 0.3);
    simulation.audit();
    const entries = simulation.ledger();
    const made = new Map<string, (typeof entries)[number]>();
    const message = `round ${round}`;
    for (const entry of entries) {
      expect(made.has(entry.event_id!), `${message}: ${entry.event_id} twice`).toBe(false);
      made.set(entry.event_id!, entry);
    }
    for (const one of told) {
      seen.set(one.code, (seen.get(one.code) ?? 0) + 1);
      const entry = made.get(one.eventId);
      const isOwn = entry?.request_id === one.requestId;
      const of = `${message}: ${JSON.stringify(one)} ${JSON.stringify(entry)}`;
      if (one.code === 'made') expect(isOwn, of).toBe(true);
      else if (one.code === 'repeat') expect(entry, of).toBeDefined();
      // A refusal is of this try alone: another of the same spend may have made it.
      else if (!unknown.has(one.code)) expect(isOwn && one.requestId !== undefined, of).toBe(false);
      if (entry && entry.request_id === one.requestId && one.notAfter !== undefined) {
        expect(Date.parse(entry.at), of).toBeLessThanOrEqual(one.notAfter);
      }
      // Without not_after, what a killed sender left is over 21 seconds after it was sent.
      const tries = told.filter(({ eventId }) => eventId === one.eventId);
      if (entry) {
        const last = Math.max(...tries.map(({ sentAt }) => sentAt));
        expect(Date.parse(entry.at), of).toBeLessThanOrEqual(last + 21_000);
      }
    }
  }
  process.stdout.write(`${JSON.stringify([...seen])}\n`);
  for (const code of ['made', 'insufficient_stars', 'spend_limit_reached', 'too_late', undefined]) {
    expect(seen.get(code) ?? 0, String(code)).toBeGreaterThan(0);
  }
});
