import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventUpdate } from '../../lib/billing/events/event-update.ts';
import { changeWallet } from '../../lib/billing/writer/change-wallet.ts';
import { walletTableFor } from '../../lib/billing/writer/wallet-table.ts';
import { ApiError } from '../../lib/errors/errors.ts';
import { retry } from '../../lib/table/retry.ts';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import { ItemConflicts } from '../support/faults/item-conflicts.ts';
import { someOrigin } from '../support/origin.ts';
import { prepared } from '../support/prepared.ts';
import { times } from '../support/some.ts';
import { openTableAt } from '../support/table.ts';
import type { Request } from './client.ts';
import { type Setting, Settings } from './setting.ts';

// Transactions that meet are refused, as DynamoDB refuses them. Nothing here has a time limit: what would not end in time
// is refused more often than it may be.

const store = new ItemConflicts();
let faulty: FaultyService;
let settings: Settings;

beforeAll(async () => {
  faulty = await startFaultyService(await prepared(), {
    steps: [store.step],
    environmentsPerFunction: 8,
    sharesProcesses: true,
    isPatient: true,
  });
  settings = new Settings(faulty);
});

afterAll(() => faulty?.close());

/** Refusals for each that is done: more would mean that they keep one another from ever being done. */
const mostRefusals = 40;

/** Does something so many times at once, and prints how that went. */
const atOnce = async <T>(
  times: number,
  what: string,
  one: () => Promise<T>,
  leastConflicts = 1,
): Promise<T[]> => {
  const [startedAt, before] = [Date.now(), store.conflicts];
  const outcomes = await Promise.all(Array.from({ length: times }, one));
  const conflicts = store.conflicts - before;
  console.info(`${times} ${what}: ${Date.now() - startedAt} ms, ${conflicts} conflicts`);
  expect(conflicts).toBeGreaterThanOrEqual(leastConflicts);
  expect(conflicts).toBeLessThan(times * mostRefusals);
  return outcomes;
};

/** So many requests at once: their answers, none of which is to try again. */
const sendAtOnce = async (
  { client }: Setting,
  times: number,
  what: string,
  next: () => Request,
  leastConflicts?: number,
) => {
  const answers = await atOnce(times, what, () => client.send(next()), leastConflicts);
  expect(answers.filter(({ code }) => code === 'write_conflict' || code === 'timeout')).toEqual([]);
  return answers;
};

const isUnavailable = (error: unknown) => error instanceof ApiError && error.code === 'unavailable';

const starsOf = async ({ client }: Setting): Promise<number> =>
  (await client.send({ id: 'getBalance', path: '/billing/balance' })).body.total_stars;

const spends = times(100, 200);

test(`${spends} spends that meet at one wallet of 70 stars: 70 are done, each once, and the others refused`, async () => {
  const setting = await settings.make();
  const table = openTableAt(faulty.proxy.endpoint, faulty.service.assembly.table.TableName);
  const unbounded = { deadline: Number.POSITIVE_INFINITY };
  let written = 0;
  const outcomes = await atOnce(spends, 'spends of one wallet', () => {
    const ids = { organization_id: setting.id, event_id: randomUUID() };
    const spend = async () => {
      const own = table.during(unbounded);
      try {
        const content = eventUpdate({ type: 'stars.spent', ...ids, stars: 1 });
        const updates = [{ ...content, origin: someOrigin, spender: undefined }];
        const change = { organizationId: setting.id, updates };
        await changeWallet(walletTableFor(own, someOrigin), change);
        return 'spent';
      } catch (error) {
        if (error instanceof ApiError && error.code === 'insufficient_stars') return error.code;
        throw error;
      } finally {
        written += own.unitsByKind.written;
      }
    };
    // A busy machine may not let so many connect in time.
    return retry(unbounded, spend, isUnavailable);
  });
  const countOf = (one: string) => outcomes.filter((outcome) => outcome === one).length;
  expect([countOf('spent'), countOf('insufficient_stars')]).toEqual([70, spends - 70]);
  expect(await starsOf(setting)).toBe(0);
  // Each counts by itself, whoever carried it out: wallet, record and ledger entry have two units each.
  expect(written).toBeGreaterThanOrEqual(6 * 70);
  settings.end(setting);
});

test('50 upserts of one lead that meet make it once, and each is done', async () => {
  const setting = await settings.make();
  const { client, pipelineId: pipeline_id } = setting;
  let value_cents = 0;
  const answers = await sendAtOnce(setting, 50, 'upserts of one lead', () => {
    value_cents++;
    const lead = { external_id: 'one', contact_name: 'Rui', pipeline_id, value_cents };
    return { id: 'upsertLead', path: '/leads/upsert', body: { match: 'external_id', lead } };
  });
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201]);
  const found = await client.send({ id: 'listLeads', path: '/leads?external_id=one' });
  const [lead, ...others] = found.body.items;
  expect(others).toEqual([]);
  expect(lead.value_cents).toBeGreaterThanOrEqual(1);
  expect(lead.value_cents).toBeLessThanOrEqual(50);
  const path = `/leads/${lead.id}/history?limit=200`;
  const history = await client.send({ id: 'listLeadHistory', path });
  expect(history.body.items.length).toBe(50);
  settings.end(setting);
});

test('60 holds of one wallet that meet are all made, and each ends once, captured and released at once', {
  tags: ['long'],
}, async () => {
  const setting = await settings.make();
  const ids = Array.from({ length: 60 }, () => randomUUID());
  const holds = ids.values();
  const held = await sendAtOnce(setting, 60, 'holds', () => ({
    id: 'putHold',
    path: `/billing/holds/${holds.next().value}`,
    body: { stars: 1, expires_in_seconds: 600 },
  }));
  expect(held.filter(({ status }) => status < 300).length).toBe(60);
  const requests = ids
    .flatMap((hold): Request[] => [
      { id: 'captureHold', path: `/billing/holds/${hold}/capture`, body: {} },
      { id: 'releaseHold', path: `/billing/holds/${hold}/release` },
    ])
    .values();
  const nextEnd = () => requests.next().value!;
  // The holds have left the wallet crowded: who comes now waits, and may meet nobody.
  const ends = await sendAtOnce(setting, 120, 'captures and releases', nextEnd, 0);
  const done = ends.filter(({ code }) => code === undefined);
  expect(done.length).toBe(60);
  const spent = done.reduce((sum, { body }) => sum + body.captured_stars, 0);
  expect(await starsOf(setting)).toBe(70 - spent);
  settings.end(setting);
});

test('60 creates in one pipeline, which meet at its counters, are all done', async () => {
  const setting = await settings.make();
  const { client, pipelineId: pipeline_id } = setting;
  const body = { contact_name: 'Rui', pipeline_id };
  const create = () => ({ id: 'createLead', path: '/leads', body });
  const answers = await sendAtOnce(setting, 60, 'creates in one pipeline', create);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(60);
  const path = `/pipelines/${pipeline_id}/summary`;
  const summary = await client.send({ id: 'getPipelineSummary', path });
  expect(summary.body.leads).toBe(61);
  settings.end(setting);
});
