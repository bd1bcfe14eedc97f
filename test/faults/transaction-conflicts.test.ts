import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { operation as upsert } from '../../functions/leads/upsert-lead.ts';
import { applyEvent } from '../../lib/billing/apply-event.ts';
import type { ApiError } from '../../lib/errors/errors.ts';
import { upsertInput } from '../../lib/leads/upsert-schema.ts';
import { replyOnce } from '../../lib/operations/idempotency.ts';
import { toIdempotentRequest } from '../../lib/operations/idempotency-record.ts';
import { timeBoundsAfter } from '../../lib/table/deadline.ts';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import { ItemConflicts } from '../support/faults/item-conflicts.ts';
import { prepared } from '../support/prepared.ts';
import { openTableAt } from '../support/table.ts';
import type { Request } from './client.ts';
import { ownerId, type Setting, Settings } from './setting.ts';

// Transactions that meet are refused, as DynamoDB refuses them.

const store = new ItemConflicts();
let faulty: FaultyService;
let settings: Settings;

beforeAll(async () => {
  faulty = await startFaultyService(await prepared(), {
    steps: [store.step],
    environmentsPerFunction: 8,
  });
  settings = new Settings(faulty);
});

afterAll(() => faulty?.close());

interface Measured<T> {
  outcomes: T[];
  conflicts: number;
}

/** Does something so many times at once, and prints how that went. */
const atOnce = async <T>(
  times: number,
  what: string,
  one: () => Promise<T>,
): Promise<Measured<T>> => {
  const [startedAt, before] = [Date.now(), store.conflicts];
  const outcomes = await Promise.all(Array.from({ length: times }, one));
  const conflicts = store.conflicts - before;
  console.info(`${times} ${what}: ${Date.now() - startedAt} ms, ${conflicts} conflicts`);
  return { outcomes, conflicts };
};

/** What a function has for one spend. */
const functionsTime = 9500;

/** Spends a star as the function does, again where it was told to try again. */
const spendDirectly = ({ id }: Setting) => {
  const table = openTableAt(faulty.proxy.endpoint, faulty.service.assembly.table.TableName);
  return async () => {
    const event = { type: 'stars.spent' as const, organization_id: id, event_id: randomUUID() };
    for (let tries = 1; ; tries++) {
      try {
        const outcome = await applyEvent(table.during(timeBoundsAfter(functionsTime)), {
          ...event,
          stars: 1,
        });
        return { refusal: outcome.refusal, tries };
      } catch (error) {
        const { code } = error as ApiError;
        if (!['write_conflict', 'timeout', 'unavailable'].includes(code)) throw error;
      }
    }
  };
};

const starsOf = async ({ client }: Setting): Promise<number> =>
  (await client.send({ id: 'getBalance', path: '/billing/balance' })).body.total_stars;

/** Conflicts beside failed conditions come by chance: now and then a round has none. */
const mostRounds = 6;

test('200 spends that meet at one wallet of 70 stars: 70 are done, each once, and 130 refused', {
  timeout: 120_000,
}, async () => {
  for (let round = 1; round === 1 || (store.mixed === 0 && round <= mostRounds); round++) {
    const setting = await settings.make();
    const spend = spendDirectly(setting);
    const { outcomes, conflicts } = await atOnce(200, 'spends of one wallet', spend);
    const repeated = outcomes.filter(({ tries }) => tries > 1).length;
    console.info(`${repeated} of them were told to try again`);
    expect(conflicts).toBeGreaterThan(0);
    expect(outcomes.filter(({ refusal }) => !refusal).length).toBe(70);
    expect(outcomes.filter(({ refusal }) => refusal === 'insufficient_stars').length).toBe(130);
    expect(await starsOf(setting)).toBe(0);
    settings.end(setting);
  }
  expect(store.mixed, 'conflicts beside failed conditions').toBeGreaterThan(0);
});

/** Upserts the lead with this external id as the function does, each under a key of its own, and once. */
const upsertDirectly = ({ id, pipelineId }: Setting, external_id: string) => {
  const table = openTableAt(faulty.proxy.endpoint, faulty.service.assembly.table.TableName);
  let value_cents = 0;
  return async () => {
    value_cents++;
    const lead = { external_id, contact_name: 'Rui', pipeline_id: pipelineId, value_cents };
    const call = {
      organizationId: id,
      userId: ownerId,
      path: undefined,
      query: undefined,
      body: z.parse(upsertInput, { match: 'external_id', lead }),
      ifMatch: undefined,
      now: Date.now(),
      role: 'owner' as const,
      assertAllowed: async () => {},
    };
    const during = table.during(timeBoundsAfter(functionsTime));
    const request = toIdempotentRequest(upsert.id, call, randomUUID());
    const handle = async (commit: never) =>
      upsert.handle(call, await upsert.read!(call, during), during, commit);
    const { status = upsert.response.status } = await replyOnce(during, request, handle as never);
    return status;
  };
};

/** 49 are 200, one is 201; the lead has what one of them asked for, and a history of each. */
const expectOneLead = async (
  { client }: Setting,
  external_id: string,
  statuses: readonly number[],
): Promise<void> => {
  expect(statuses.toSorted()).toEqual([...Array(statuses.length - 1).fill(200), 201]);
  const found = await client.send({ id: 'listLeads', path: `/leads?external_id=${external_id}` });
  const [lead, ...others] = found.body.items;
  expect(others).toEqual([]);
  expect(lead.value_cents).toBeGreaterThanOrEqual(1);
  expect(lead.value_cents).toBeLessThanOrEqual(statuses.length);
  const path = `/leads/${lead.id}/history?limit=200`;
  const history = await client.send({ id: 'listLeadHistory', path });
  expect(history.body.items.length).toBe(statuses.length);
};

test('50 upserts of one lead that meet, all from one process, make it once, and none is told to try again', {
  tags: ['long'],
  timeout: 60_000,
}, async () => {
  const setting = await settings.make();
  const upsertOne = upsertDirectly(setting, 'one');
  const { outcomes, conflicts } = await atOnce(50, 'upserts of one lead', upsertOne);
  expect(conflicts).toBeGreaterThan(0);
  await expectOneLead(setting, 'one', outcomes);
  settings.end(setting);
});

test('50 upserts of one lead that meet, by requests, make it once, and none is told to try again', {
  tags: ['long'],
  timeout: 60_000,
}, async () => {
  const setting = await settings.make();
  const { client, pipelineId: pipeline_id } = setting;
  let value_cents = 0;
  const request = (external_id: string) => {
    const lead = { external_id, contact_name: 'Rui', pipeline_id, value_cents: ++value_cents };
    const body = { match: 'external_id', lead };
    return { id: 'upsertLead', path: '/leads/upsert', body };
  };
  // Where a machine has more to do than it can, a function may start for longer than it may run.
  await Promise.all(Array.from({ length: 8 }, (_, i) => client.insist(request(`before-${i}`))));
  value_cents = 0;
  const upsertOne = async () => (await client.send(request('one'))).status;
  const { outcomes, conflicts } = await atOnce(50, 'upserts by requests', upsertOne);
  expect(conflicts).toBeGreaterThan(0);
  await expectOneLead(setting, 'one', outcomes);
  settings.end(setting);
});

/** More would mean that they keep one another from ever being done. */
const patience = 40;

/** So many requests at once, each again where it was told to try again: their last answers. */
const insisting = async ({ client }: Setting, times: number, what: string, next: () => Request) => {
  const send = () => client.insist(next(), { most: patience });
  const { outcomes, conflicts } = await atOnce(times, what, send);
  console.info(`${outcomes.filter(({ length }) => length > 1).length} were told to try again`);
  return { conflicts, answers: outcomes.map((answers) => answers.at(-1)!) };
};

test('60 spends by Invoke that meet at one wallet are all done', async () => {
  const setting = await settings.make();
  const { answers, conflicts } = await insisting(setting, 60, 'spends by Invoke', () => ({
    id: 'spendStars',
    body: { organization_id: setting.id, event_id: randomUUID(), stars: 1 },
  }));
  expect(conflicts).toBeGreaterThan(0);
  expect(answers.filter(({ body }) => body.spent).length).toBe(60);
  expect(await starsOf(setting)).toBe(10);
  settings.end(setting);
}, 120_000);

test('60 holds of one wallet that meet are all made, and each ends once, captured and released at once', {
  tags: ['long'],
  timeout: 120_000,
}, async () => {
  const setting = await settings.make();
  const ids = Array.from({ length: 60 }, () => randomUUID());
  const ended = (id: string, hold_id: string) => ({
    id,
    body: { organization_id: setting.id, hold_id },
  });
  const holds = ids.values();
  const held = await insisting(setting, 60, 'holds', () => ({
    id: 'holdStars',
    body: {
      organization_id: setting.id,
      hold_id: holds.next().value,
      stars: 1,
      expires_in_seconds: 600,
    },
  }));
  expect(held.conflicts).toBeGreaterThan(0);
  expect(held.answers.filter(({ body }) => body.held).length).toBe(60);
  const requests = ids
    .flatMap((hold) => [ended('captureHold', hold), ended('releaseHold', hold)])
    .values();
  const ends = await insisting(setting, 120, 'captures and releases', () => requests.next().value!);
  const done = ends.answers.filter(({ code }) => code === undefined);
  expect(done.length).toBe(60);
  const captured = done.reduce((sum, { body }) => sum + body.captured_stars, 0);
  expect(await starsOf(setting)).toBe(70 - captured);
  settings.end(setting);
});

test('60 creates in one pipeline, which meet at its counters, are all done', async () => {
  const setting = await settings.make();
  const { client, pipelineId: pipeline_id } = setting;
  const body = { contact_name: 'Rui', pipeline_id };
  const create = () => ({ id: 'createLead', path: '/leads', body });
  const { answers } = await insisting(setting, 60, 'creates in one pipeline', create);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(60);
  const path = `/pipelines/${pipeline_id}/summary`;
  const summary = await client.send({ id: 'getPipelineSummary', path });
  expect(summary.body.leads).toBe(61);
  settings.end(setting);
}, 120_000);

test('30 changes of one lead that meet are all done, one after another', async () => {
  const setting = await settings.make();
  const { client, leadId } = setting;
  const path = `/leads/${leadId}`;
  let value_cents = 1000;
  const change = () => ({ id: 'updateLead', path, body: { value_cents: value_cents++ } });
  const { answers, conflicts } = await insisting(setting, 30, 'changes of one lead', change);
  expect(conflicts).toBeGreaterThan(0);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const history = await client.send({ id: 'listLeadHistory', path: `${path}/history` });
  expect(history.body.items.length).toBe(31);
  settings.end(setting);
}, 120_000);
