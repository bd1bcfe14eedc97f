import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventUpdate } from '../../../../lib/billing/events/event-update.ts';
import { extensionUpdate } from '../../../../lib/billing/holds/hold.ts';
import { captureUpdate, releaseUpdate } from '../../../../lib/billing/holds/hold-end.ts';
import { holdUpdate } from '../../../../lib/billing/holds/new-hold.ts';
import { spendUpdate } from '../../../../lib/billing/spends/spend.ts';
import type { LedgerEntry } from '../../../../lib/billing/stored/ledger-entry.ts';
import { emptyWallet } from '../../../../lib/billing/stored/wallet.ts';
import type { UpdateContent } from '../../../../lib/billing/writer/wallet-update.ts';
import { ApiError } from '../../../../lib/errors/errors.ts';
import { chance, pick, type Random, random, seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';
import { LimitedSimulation } from '../limits/limited-simulation.ts';
import { fateOf, fates, isInjected } from './fates.ts';
import type { WalletSimulation } from './wallet-simulation.ts';

// Many senders by chance, of which some are killed, held up or get no answer, while others carry out what they left. Each
// fault at each request: waiting-kinds.test.ts.

beforeAll(() => void vi.stubEnv('TABLE_NAME', 'Simulated'));
afterAll(() => void vi.unstubAllEnvs());

/** After its `not_after` and so long, a 402 is final; what has none is over so long after it was sent. docs/stars.md */
const [finalMs, overMs] = [15_000, 21_000];

/** What a client knows of what it asked. */
interface Told {
  content: UpdateContent;
  requestId?: string;
  /** Undefined where it got no answer. */
  code?: string;
  sentAt: number;
}

/** Codes after which nobody knows what became of it. */
const unknown = new Set([undefined, 'timeout', 'unavailable', 'internal']);

/** All that is asked of a wallet, of which much is of spends and holds that were asked just before. */
const contentMaker = (next: Random, organization_id: string) => {
  let count = 0;
  const [spends, holds] = [['none'], ['none']];
  const idIn = (ids: string[], prefix: string) => {
    ids.push(`${prefix}-${count}`);
    return `${prefix}-${count}`;
  };
  /** Every second spend and hold is of a spender with a limit. */
  const purpose = () => (count % 2 === 0 ? { spender: 'ada' } : {});
  const recent = (ids: string[]) => pick(next, ids.slice(-15));
  const event = (fields: object) =>
    eventUpdate({ organization_id, event_id: `x-${count}`, ...fields } as never);
  const spend = () =>
    spendUpdate(organization_id, { event_id: idIn(spends, 'e'), stars: 1, ...purpose() });
  const hold = () =>
    holdUpdate(idIn(holds, 'h'), {
      stars: 2,
      expires_in_seconds: 1 + Math.floor(next() * 20),
      ...purpose(),
    });
  const kinds = [
    ...Array.from({ length: 8 }, () => spend),
    ...Array.from({ length: 6 }, () => hold),
    () => captureUpdate(recent(holds), { stars: 1 }),
    () => captureUpdate(recent(holds), { stars: 3, up_to_available: true }),
    () => releaseUpdate(recent(holds)),
    () => extensionUpdate(recent(holds), 5 + Math.floor(next() * 20)),
    () => event({ type: 'stars.refunded', refunds: recent(spends), stars: 1 }),
    () => event({ type: 'pack.purchased', stars: 2 }),
  ];
  return (): UpdateContent => {
    count++;
    return pick(next, kinds)();
  };
};

const askAll = async (simulation: WalletSimulation, next: Random, disturbed: number) => {
  const { clock, organizationId } = simulation;
  const all: Told[] = [];
  const make = contentMaker(next, organizationId);
  const send = async (content: UpdateContent) => {
    const told: Told = { content, sentAt: clock.now };
    all.push(told);
    const isDisturbed = chance(next, disturbed);
    const at = 1 + Math.floor(next() * 9);
    const { step } = fateOf(simulation, { fate: pick(next, fates), at, heldMs: next() * 6000 });
    const answer = await simulation
      .send({ contents: [content] }, { step: isDisturbed ? step : undefined })
      // What fails before it changes anything is told as it is.
      .catch((error) => ({ origin: undefined, results: [{ error }] }));
    const [result] = answer.results;
    if (answer.origin) told.requestId = answer.origin.requestId;
    if (result && 'record' in result) told.code = result.isRepeat ? 'repeat' : 'made';
    else if (result?.error instanceof ApiError) told.code = result.error.code;
    else if (!isInjected(result?.error)) throw result?.error;
  };
  const seconds = 6;
  for (let n = 0; n < 60 * seconds; n++) {
    clock.after(next() * seconds * 1000, () => {
      const not_after = chance(next, 0.4) ? clock.now + Math.floor(next() * 3000) : undefined;
      const content = { ...make(), not_after };
      void send(content);
      if (chance(next, 0.2)) void send(content);
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

const nameOf = (entry: Pick<LedgerEntry, 'type' | 'event_id'>) => `${entry.type} ${entry.event_id}`;
const ends: readonly string[] = ['hold.captured', 'hold.released', 'hold.expired'];

/** Each is there once; an extension, once for each that was sent. */
const expectOnce = (entries: readonly LedgerEntry[], message: string): void => {
  const once = entries.filter(
    ({ type, event_id }) => type !== 'hold.extended' && event_id !== null,
  );
  const names = once.map((one) => (ends.includes(one.type) ? `end ${one.event_id}` : nameOf(one)));
  expect(new Set(names).size, message).toBe(names.length);
  const made = entries.flatMap((one) => (one.request_id ? `${nameOf(one)} ${one.request_id}` : []));
  expect(new Set(made).size, message).toBe(made.length);
};

test(`nothing is made twice, nor after it was refused or its time was over, whoever dies or is held up (SEED=${seed})`, async () => {
  const seen = new Map<string | undefined, number>();
  const typesMade = new Set<string>();
  for (let round = 0; round < times(6, 60); round++) {
    const next = random(seed + round);
    const simulation = new LimitedSimulation(
      seed + round,
      { 'default/spender': 70 },
      { ...emptyWallet, pack_stars: 60 },
    );
    const told = await askAll(simulation, next, 0.3);
    simulation.audit();
    const entries = simulation.ledger();
    const message = `round ${round}`;
    expectOnce(entries, message);
    for (const one of told) {
      seen.set(one.code, (seen.get(one.code) ?? 0) + 1);
      const { cause, not_after } = one.content;
      const made = entries.filter((entry) => nameOf(entry) === nameOf(cause));
      const own = made.find(({ request_id }) => request_id === one.requestId);
      const of = `${message}: ${JSON.stringify(one)} ${JSON.stringify(made)}`;
      if (own) typesMade.add(cause.type);
      if (one.code === 'made') expect(own, of).toBeDefined();
      // An extension that is shorter than another changes nothing.
      else if (one.code === 'repeat' && cause.type !== 'hold.extended') {
        expect(made.length, of).toBeGreaterThan(0);
      }
      // A refusal is of this try alone: another of the same update may have made it.
      else if (!unknown.has(one.code)) expect(one.requestId && own, of).toBeUndefined();
      if (own && not_after !== undefined) {
        expect(Date.parse(own.at), of).toBeLessThanOrEqual(not_after);
        expect(simulation.writtenAt(own.version), of).toBeLessThanOrEqual(not_after + finalMs);
      }
      const tries = told.filter(({ content }) => nameOf(content.cause) === nameOf(cause));
      const lastSentAt = Math.max(...tries.map(({ sentAt }) => sentAt));
      for (const { version } of made) {
        expect(simulation.writtenAt(version), of).toBeLessThanOrEqual(lastSentAt + overMs);
      }
    }
  }
  process.stdout.write(`${JSON.stringify([...seen])} ${[...typesMade].join(' ')}\n`);
  const codes = [
    'made',
    'repeat',
    'insufficient_stars',
    'spend_limit_reached',
    'too_late',
    'already_captured',
    undefined,
  ];
  for (const code of codes) expect(seen.get(code) ?? 0, String(code)).toBeGreaterThan(0);
  expect(typesMade.size).toBeGreaterThanOrEqual(7);
});
