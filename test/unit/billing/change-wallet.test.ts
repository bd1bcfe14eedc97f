import { afterEach, expect, test, vi } from 'vitest';
import { applyEvent } from '../../../lib/billing/apply-event.ts';
import { openTable } from '../../../lib/table/client.ts';
import { walletEventKey } from '../../../lib/table/keys.ts';
import { expectSoundLedger } from '../../support/billing.ts';
import { FaultStore, type StoreStep } from '../../support/faults/fault-store.ts';
import {
  apply,
  eventOf,
  failure,
  hidingOnce,
  historyOf,
  soon,
  spend,
  walletOf,
  withStars,
} from './in-process-wallet.ts';

/** A table where others come between reading and writing, as often as told. */
const overtaken = (meanwhile: () => Promise<unknown>, times = 1, deadline = soon()) => {
  let left = times;
  const step: StoreStep = async ({ operation }, pass) => {
    const found = await pass();
    if (['Get', 'BatchGet'].includes(operation) && left-- > 0) await meanwhile();
    return found;
  };
  return new FaultStore(step).table({ deadline });
};

test('a repeat that comes while the first is applied is answered as the first', async () => {
  const organization = await withStars(0, 10);
  const event = spend(organization, 10);
  let first: unknown;
  const between = overtaken(async () => {
    first = await apply(event);
  });
  expect(await applyEvent(between, event)).toEqual({ ...(first as object), isRepeat: true });
  expect((await historyOf(organization)).length).toBe(2);
});

test('a repeat that reads the guard before, and the wallet after, the first is not refused', async () => {
  const organization = await withStars(0, 10);
  const event = spend(organization, 10);
  const first = await apply(event);
  const late = hidingOnce(walletEventKey(organization.id, event.event_id));
  expect(await applyEvent(late, event)).toEqual({ ...first, isRepeat: true });
});

test('who loses a race decides anew from the wallet as it is then', async () => {
  const organization = await withStars(0, 10);
  const between = overtaken(() => apply(spend(organization, 3)), 3);
  const { balance } = await applyEvent(between, spend(organization, 1));
  expect(balance.total_stars).toBe(0);
  expectSoundLedger(await historyOf(organization));
});

test('who loses a race gives up when the time is up, and nothing is stored', async () => {
  const organization = await withStars(0, 10);
  const between = overtaken(() => apply(spend(organization, 1)), 1, Date.now() - 1);
  const late = applyEvent(between, spend(organization, 5));
  expect(await failure(late)).toMatchObject({ code: 'write_conflict' });
  expect((await walletOf(organization))?.pack_stars).toBe(9);
  expect((await historyOf(organization)).length).toBe(2);
});

afterEach(() => {
  vi.useRealTimers();
});

/** The try and its repeat have this many milliseconds from their start. The stars come two seconds later. */
const heldUp = async (patienceMs: number | undefined) => {
  const organization = await withStars(0, 5);
  const event = spend(organization, 5);
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now });
  const options = { notAfter: patienceMs && now + patienceMs };
  const late = overtaken(async () => {
    await apply(spend(organization, 1));
    const repeat = await applyEvent(openTable().during({ deadline: soon() }), event, options);
    expect(repeat.refusal).toBe('insufficient_stars');
    vi.setSystemTime(now + 2000);
    await apply(eventOf(organization, { type: 'pack.purchased', stars: 10 }));
  });
  const code = (await failure(applyEvent(late, event, options)))?.code;
  return [code, (await walletOf(organization))?.pack_stars];
};

test.each([
  ['spends them without a not_after', undefined, undefined, 9],
  ['spends them until its not_after', 2000, undefined, 9],
  ['is too late after its not_after', 1999, 'too_late', 14],
])(
  'a try that is held up while its repeat is refused, and stars come in then, %s',
  async (_what, patienceMs, code, left) => {
    expect(await heldUp(patienceMs)).toEqual([code, left]);
  },
);
