import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { eventUpdate } from '../../../../lib/billing/events/event-update.ts';
import { deleteLimit, putLimit, readLimit } from '../../../../lib/billing/spend-limits.ts';
import {
  spendCounterKind,
  toSpendCounter,
} from '../../../../lib/billing/stored/limits/spend-counter.ts';
import type { LimitName } from '../../../../lib/billing/stored/limits/spend-limit.ts';
import { changeWalletInBatch } from '../../../../lib/billing/writer/change-wallet.ts';
import type { TableClient } from '../../../../lib/table/client.ts';
import { conflict, FaultStore } from '../../../support/faults/fault-store.ts';
import { commitIn } from '../../../support/origin.ts';
import { random, seed } from '../../../support/random.ts';
import type { Organization } from '../../support.ts';
import { at, captured, held, named, released } from '../holds/in-process-holds.ts';
import {
  apply,
  change,
  changing,
  failure,
  soon,
  spend,
  table,
  walletOf,
  watchedTable,
  withStars,
} from '../in-process-wallet.ts';

// The races that break limits elsewhere, against the table.

afterEach(() => void vi.useRealTimers());

const ada: LimitName = { kind: 'spender', name: 'ada' };
const each: LimitName = { kind: 'default', name: 'spender' };
const all = { period: 'total', enabled: true, alert_at: null } as const;

const put = async ({ id }: Organization, name: LimitName, stars: number) =>
  commitIn(table)(
    putLimit(id, name, { ...all, stars }, await readLimit(table, id, name), Date.now()),
  );
const end = async ({ id }: Organization, name: LimitName) =>
  commitIn(table)(deleteLimit(id, name, await readLimit(table, id, name), Date.now()));
const usedBy = async ({ id: organizationId }: Organization, name = 'ada') => {
  const item = await table.get(spendCounterKind.key({ organizationId, kind: 'spender', name }));
  return item && toSpendCounter(item).total;
};
const by = (organization: Organization, stars: number, fields: object = { spender: 'ada' }) =>
  spend(organization, stars, fields);
const codeOf = async (work: Promise<unknown>) => (await failure(work))?.code ?? 'made';
const sendTo = async (to: TableClient, ...events: ReturnType<typeof spend>[]) => {
  const updates = events.map((event) => eventUpdate(event));
  const asked = change(events[0]!.organization_id, ...updates);
  return (await changeWalletInBatch(changing(to), asked)).map((result) =>
    'error' in result ? (result.error as { code: string }).code : 'made',
  );
};

test('a spend without limits reads and writes what it did; with two, one request and two items more', async () => {
  const organization = await withStars(0, 100);
  const both = { spender: 'ada', feature: 'chat' };
  const alone = watchedTable();
  await sendTo(alone.table, by(organization, 1, both));
  expect(alone.requests).toEqual([
    ['BatchGet', 2],
    ['TransactWrite', 3],
  ]);
  await put(organization, ada, 50);
  await put(organization, { kind: 'feature', name: 'chat' }, 50);
  const limited = watchedTable();
  await sendTo(limited.table, by(organization, 1, both));
  expect(limited.requests).toEqual([
    ['BatchGet', 2],
    ['BatchGet', 5],
    ['TransactWrite', 5],
  ]);
});

test('spends that all read before any writes are counted one after another', async () => {
  const organization = await withStars(0, 1000);
  await put(organization, each, 20);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => codeOf(apply(by(organization, 3)))),
  );
  const made = answers.filter((one) => one === 'made').length;
  expect(made).toBeLessThanOrEqual(6);
  expect(made).toBeGreaterThan(0);
  expect(await usedBy(organization)).toBe(3 * made);
});

test('a first spend that meets another of the same new spender is decided on that', async () => {
  const organization = await withStars(0, 100);
  await put(organization, each, 5);
  let isFirst = true;
  const { table: meeting } = watchedTable(async ({ operation }, pass) => {
    if (operation === 'TransactWrite' && isFirst) {
      isFirst = false;
      await apply(by(organization, 4));
    }
    return pass();
  });
  expect(await sendTo(meeting, by(organization, 2))).toEqual(['spend_limit_reached']);
  expect(await usedBy(organization)).toBe(4);
});

test('a limit that is put, lowered or deleted while a spend is decided holds for it', async () => {
  const organization = await withStars(0, 100);
  const meanwhile = (what: () => Promise<unknown>) => {
    let isFirst = true;
    return watchedTable(async ({ operation }, pass) => {
      if (operation === 'TransactWrite' && isFirst) {
        isFirst = false;
        await what();
      }
      return pass();
    }).table;
  };
  const outcome = (what: () => Promise<unknown>, stars: number) =>
    sendTo(meanwhile(what), by(organization, stars));
  expect(await outcome(() => put(organization, ada, 5), 6)).toEqual(['spend_limit_reached']);
  expect(await outcome(() => put(organization, ada, 9), 5)).toEqual(['made']);
  expect(await outcome(() => put(organization, ada, 5), 1)).toEqual(['spend_limit_reached']);
  await put(organization, ada, 9);
  expect(await outcome(() => end(organization, ada), 1)).toEqual(['made']);
  // The last one was not counted: it was decided anew, without a limit.
  expect(await usedBy(organization)).toBe(5);
});

test('a repeat counts once, also where the first reply was lost', async () => {
  const organization = await withStars(0, 100);
  await put(organization, ada, 10);
  let isFirst = true;
  const losing = new FaultStore(async ({ operation }, pass) => {
    const reply = await pass();
    if (operation !== 'TransactWrite' || !isFirst) return reply;
    isFirst = false;
    throw conflict();
  });
  const event = by(organization, 8);
  await sendTo(losing.table({ deadline: soon() }), event);
  expect(await sendTo(table.during({ deadline: soon() }), event)).toEqual(['made']);
  expect(await usedBy(organization)).toBe(8);
  expect(await codeOf(apply(by(organization, 3)))).toBe('spend_limit_reached');
});

test('many holds of many spenders that expired are counted back, each once', async () => {
  const organization = await withStars(0, 1000);
  await put(organization, each, 10);
  await put(organization, { kind: 'feature', name: 'chat' }, 1000);
  const now = Date.now();
  at(now);
  const spenders = Array.from({ length: 60 }, (_, i) => `s-${i}`);
  for (const spender of spenders) {
    await held(named(organization, randomUUID()), 7, 10, { spender, feature: 'chat' });
  }
  expect(await codeOf(apply(by(organization, 4, { spender: 's-59' })))).toBe('spend_limit_reached');
  at(now + 10_000);
  expect(await codeOf(apply(by(organization, 4, { spender: 's-59' })))).toBe('made');
  const used = await Promise.all(spenders.map((one) => usedBy(organization, one)));
  expect(used).toEqual([...Array.from({ length: 59 }, () => 0), 4]);
  expect((await walletOf(organization))?.open_holds).toBe(0);
});

test('sessions that are open at once stay within the limit: a hold counts as it is made, not as it ends', async () => {
  const organization = await withStars(0, 100);
  await put(organization, ada, 10);
  const begin = (hold: ReturnType<typeof named>) => codeOf(held(hold, 4, 600, { spender: 'ada' }));
  const [first, second] = [named(organization), named(organization)];
  expect([await begin(first), await begin(second)]).toEqual(['made', 'made']);
  expect(await begin(named(organization))).toBe('spend_limit_reached');
  await captured(first, 1);
  expect(await usedBy(organization)).toBe(5);
  expect(await begin(named(organization))).toBe('made');
});

test('neither time nor another process forgets what was counted', async () => {
  const organization = await withStars(0, 100);
  await put(organization, ada, 10);
  await apply(by(organization, 7));
  const pk = spendCounterKind.partition({ organizationId: organization.id });
  const { items } = await table.query({ condition: 'pk = :pk', values: { ':pk': pk }, limit: 2 });
  expect(items).toMatchObject([{ total: 7 }]);
  expect(items[0]).not.toHaveProperty('expires_at');
  at(Date.now() + 400 * 86_400_000);
  const fresh = new FaultStore((_request, pass) => pass());
  expect(await sendTo(fresh.table({ deadline: soon() }), by(organization, 4))).toEqual([
    'spend_limit_reached',
  ]);
  expect(await sendTo(fresh.table({ deadline: soon() }), by(organization, 3))).toEqual(['made']);
});

test(`transactions that are refused or repeated count each spend once (SEED=${seed})`, async () => {
  const organization = await withStars(0, 1000);
  await put(organization, ada, 60);
  const next = random(seed);
  const disturbed = new FaultStore(async ({ operation }, pass) => {
    if (operation !== 'TransactWrite') return pass();
    const fate = next();
    if (fate < 0.2) throw conflict();
    if (fate < 0.4) await pass();
    return pass();
  });
  const events = Array.from({ length: 40 }, () => by(organization, 2));
  const answers = await sendTo(disturbed.table({ deadline: soon() }), ...events);
  expect(answers.filter((one) => one === 'made')).toHaveLength(30);
  expect(await usedBy(organization)).toBe(60);
});

test('a hold made under a limit is counted back after the limit has gone', async () => {
  const organization = await withStars(0, 100);
  await put(organization, ada, 10);
  const hold = named(organization);
  await held(hold, 7, 600, { spender: 'ada' });
  await end(organization, ada);
  await released(hold);
  await put(organization, ada, 10);
  expect(await usedBy(organization)).toBe(0);
});
