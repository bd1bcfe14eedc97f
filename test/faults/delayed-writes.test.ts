import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { atMost } from '../support/at-most.ts';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import type { Fault } from '../support/faults/watched-requests.ts';
import { prepared } from '../support/prepared.ts';
import { chance, pick, random, seed } from '../support/random.ts';
import { type Answer, isFinal, isRepeatable, type Request, takesKey } from './client.ts';
import { wayOf } from './operations.ts';
import { newcomer, type Setting, Settings, viewerId } from './setting.ts';

// A write that is held up on its way arrives after its repeat was answered, and after someone else has
// changed the same thing. It must not take effect any more, whether its function has died meanwhile or
// waits for it: a key has one answer.
// @module-tag long

let faulty: FaultyService;
let settings: Settings;
let held = 0;
let alive = 0;

beforeAll(async () => {
  faulty = await startFaultyService(await prepared(), { environmentsPerFunction: 4 });
  settings = new Settings(faulty);
});

afterAll(async () => {
  console.info(`${held} writes were held up, ${alive} of them by functions that lived on`);
  await faulty?.close();
});

/** What is sent in a setting, if after another request. */
interface Write {
  id: string;
  request(setting: Setting, after?: Request): Request | Promise<Request>;
}

const write = (id: string, of: (setting: Setting, after: Request) => object): Write => ({
  id,
  request: (setting, after = { id }) => ({ id, ...of(setting, after) }),
});

/** What someone else does to the same thing, and what undoes it or does it once more. */
const changeLead = write('updateLead', ({ leadId }) => ({
  path: `/leads/${leadId}`,
  body: { stage: 'old', value_cents: 1 },
}));
const restoreLead = write('restoreLead', ({ leadId }) => ({ path: `/leads/${leadId}/restore` }));
/** Of a lead that is made by itself. */
const emailOf = ({ body }: Request): string =>
  (body as { email?: string }).email ?? 'rui@example.com';
const sameContact = write('createLead', ({ pipelineId: pipeline_id }, after) => ({
  path: '/leads',
  body: { contact_name: 'Zoe', pipeline_id, email: emailOf(after) },
}));
const renamePipeline = write('updatePipeline', ({ pipelineId }) => ({
  path: `/pipelines/${pipelineId}`,
  body: { name: 'Theirs' },
}));
const putMember = (userId: string, role: string) =>
  write('putMember', () => ({ path: `/members/${userId}`, body: { role } }));
const removeMember = (userId: string) =>
  write('deleteMember', () => ({ path: `/members/${userId}` }));
const spend = write('putSpend', () => ({
  path: '/billing/spends/theirs',
  body: { stars: 60 },
}));
const changeNote = write('updateNote', (_, { path }) => ({
  path,
  headers: { 'content-type': 'application/merge-patch+json' },
  body: { text: 'Theirs' },
}));
const removeNote = write('deleteNote', (_, { path }) => ({ path }));
const renameField = write('updateField', (_, { path }) => ({
  path,
  headers: { 'content-type': 'application/merge-patch+json' },
  body: { label: 'Theirs' },
}));
const renameApiKey = write('updateApiKey', (_, { path }) => ({
  path: path?.replace('/rotate', ''),
  body: { name: 'Theirs' },
}));
const releaseHold = write('releaseHold', (_, { path = '' }) => ({
  path: path.replace(/(\/capture)?$/, '/release'),
}));
const otherAlerts = write('putAlerts', () => ({
  path: '/billing/alerts',
  body: { thresholds: [7] },
}));
const putPlan = write('putPlan', ({ plan }) => ({ path: `/billing/plans/${plan}`, body: pro }));
const newPlan = write('putPlan', ({ plan }) => ({
  path: `/billing/plans/${plan}`,
  body: { ...pro, name: 'Theirs', price_cents: 1 },
}));
const pro = { name: 'Pro', monthly_grant_stars: 100, price_cents: 4900, currency: 'USD' };

/** Each write, with what others may do before its repeat, or after it. */
const cases: [name: string, write: Write, other: Write][] = [
  ['createLead', wayOf('createLead, a new lead'), sameContact],
  [
    'createLeads',
    wayOf('createLeads, a taken contact, one that is made, and one that is wrong'),
    sameContact,
  ],
  ['updateLead', wayOf('updateLead, a stage, an email, tags and a value'), changeLead],
  ['updateLead that changes nothing', noChange(), changeLead],
  ['updateLead with If-Match', wayOf('updateLead, with If-Match'), changeLead],
  ['deleteLead', wayOf('deleteLead, a lead is deleted'), changeLead],
  ['deleteLead, and it is restored', wayOf('deleteLead, a lead is deleted'), restoreLead],
  ['deleteLead with If-Match', wayOf('deleteLead, with If-Match'), changeLead],
  ['mergeLead', wayOf('mergeLead, the same person twice'), changeLead],
  ['restoreLead', wayOf('restoreLead, a lead that was deleted'), changeLead],
  ['upsertLead', wayOf('upsertLead, one whose email is there is changed'), changeLead],
  ['eraseLead', wayOf('eraseLead, a lead with a note'), changeLead],
  ['updateNote', wayOf('updateNote, another text'), removeNote],
  ['deleteNote', wayOf('deleteNote, a note'), changeNote],
  ['updateField', wayOf('updateField, another label, and one more option'), renameField],
  ['createPipeline', wayOf('createPipeline, a new pipeline'), renamePipeline],
  ['updatePipeline', wayOf('updatePipeline, other stages'), renamePipeline],
  ['updatePipeline with If-Match', wayOf('updatePipeline, with If-Match'), renamePipeline],
  ['putMember', putMember(viewerId, 'agent'), putMember(viewerId, 'billing')],
  ['putMember, and who is removed', putMember(viewerId, 'agent'), removeMember(viewerId)],
  ['putMember of someone new', wayOf('putMember, another owner'), removeMember(newcomer)],
  ['deleteMember', wayOf('deleteMember, a member is removed'), putMember(viewerId, 'agent')],
  ['createApiKey', wayOf('createApiKey, for a form'), putMember(viewerId, 'agent')],
  ['updateApiKey', wayOf('updateApiKey, another role'), renameApiKey],
  ['rotateApiKey', wayOf('rotateApiKey, the secret before is good for a day'), renameApiKey],
  ['revokeApiKey', wayOf('revokeApiKey, an API key is revoked'), renameApiKey],
  ['putSpend', wayOf('putSpend, of both kinds'), spend],
  ['createSpends', wayOf('createSpends, one is made, one refused'), spend],
  ['putEvent', wayOf('putEvent, a refund'), spend],
  ['putHold', wayOf('putHold, of both kinds'), spend],
  ['captureHold', wayOf('captureHold, what it cost'), releaseHold],
  ['releaseHold', wayOf('releaseHold, none of it spent'), spend],
  ['putAlerts', wayOf('putAlerts, two'), otherAlerts],
  ['applyWalletEvents', wayOf('applyWalletEvents, a pack and a renewal'), spend],
];

function noChange(): Write {
  return write('updateLead', ({ leadId }) => ({
    path: `/leads/${leadId}`,
    body: { stage: 'new' },
  }));
}

const said = ({ status, code, body }: Answer) => [
  status,
  code,
  body?.error?.details,
  body?.items ?? body?.id,
];

const writing = 'TransactWriteItems';

/** Its requests that write: the first, the second, … */
const writesOf = async (of: Write): Promise<number[]> => {
  const setting = await make(of);
  // What has to come first is not its own.
  const request = await of.request(setting);
  setting.watched.plan(undefined);
  await setting.client.insist(request);
  const sent = setting.watched.requests.filter((operation) => operation === writing);
  settings.end(setting);
  return sent.map((_, i) => i + 1);
};

const make = ({ id }: Write): Promise<Setting> =>
  settings.make({ marks: id === 'putPlan' ? ['PLANS'] : [] });

/** How a write is held up. */
interface Way {
  /** Which of its writes. */
  at: number;
  /** When someone else acts: before the repeat, or after it. */
  when: 'before' | 'after';
  /** Whether the function of the first try lives on. */
  lives: boolean;
  keyed: boolean;
}

/** Without a key, only what HTTP says may be repeated is held to it. */
const waysToHold = (id: string, places: readonly number[]): Way[] =>
  places.flatMap((at) =>
    (['before', 'after'] as const).flatMap((when) => [
      { at, when, lives: false, keyed: true },
      { at, when, lives: true, keyed: true },
      ...(isRepeatable(id) ? [{ at, when, lives: true, keyed: false }] : []),
    ]),
  );

/** Of more at once, some would take too long on a machine with two cores. */
const inTurn = atMost(8);

const holdUp = async (of: Write, other: Write, { at, when, lives, keyed }: Way) => {
  const setting = await make(of);
  const { watched, client } = setting;
  const [request, key] = [await of.request(setting), keyed ? randomUUID() : null];
  const hasKey = keyed && takesKey(request.id);
  const onItsWay = Promise.withResolvers<void>();
  watched.plan({
    name: 'held',
    strike: (_k, { operation, n }) => {
      if (operation !== writing || n !== at) return undefined;
      onItsWay.resolve();
      return lives ? 'held up' : 'held';
    },
  });
  const first = client.send(request, key);
  if (lives) await Promise.race([onItsWay.promise, first]);
  else expect((await first).code, 'it should have died').toBeDefined();
  watched.plan(undefined);

  // What they do may be refused, as it is when the repeat was first.
  const theirs = async () => (await client.insist(await other.request(setting, request))).at(-1)!;
  const earlier = when === 'before' ? await theirs() : undefined;
  const final = (await client.insist(request, { key })).at(-1)!;
  if (when === 'after') await theirs();
  // A contact that they took is free again.
  if (other === sameContact && earlier) {
    await client.insist({ id: 'deleteLead', path: `/leads/${earlier.body.id}` });
  }

  const before = await settings.stateOf(setting);
  expect(await watched.release()).toBe(1);
  if (lives) {
    const answer = await first;
    if (answer.code !== 'timeout') alive++;
    if (hasKey && isFinal(answer)) expect(said(answer)).toEqual(said(final));
  }
  assert.deepEqual(await settings.stateOf(setting), before);

  if (hasKey) {
    const again = (await client.insist(request, { key })).at(-1)!;
    expect(said(again)).toEqual(said(final));
    assert.deepEqual(await settings.stateOf(setting), before);
  }
  settings.end(setting);
};

const byFunction = Map.groupBy(cases, ([, { id }]) => id);

test.concurrent.each([...byFunction])(
  '%s that is held up takes no effect once its repeat was answered',
  async (_, ways) => {
    for (const [name, write, other] of ways) {
      const places = await inTurn(() => writesOf(write));
      expect(places.length, name).toBeGreaterThan(0);
      await Promise.all(
        waysToHold(write.id, places).map(async (way) => {
          held++;
          await inTurn(() => holdUp(write, other, way)).catch((error) => {
            throw new Error(`${name}, ${JSON.stringify(way)}: ${error.message}`);
          });
        }),
      );
    }
  },
  480_000,
);

// The catalogue is every organization's: nothing else may be under way.
test('putPlan that is held up takes no effect once its repeat was answered', async () => {
  for (const way of waysToHold('putPlan', [1])) await holdUp(putPlan, newPlan, way);
});

/** Requests of a few kinds about the same few things, under a few keys. */
const requestByChance = (next: () => number, { pipelineId, leadId }: Setting): Request => {
  const contact = {
    email: pick(next, ['rui@example.com', 'eva@example.com', 'ana-0@example.com']),
  };
  const path = `/leads/${leadId}`;
  return pick(next, [
    {
      id: 'createLead',
      path: '/leads',
      body: { contact_name: 'Rui', pipeline_id: pipelineId, ...contact },
    },
    { id: 'updateLead', path, body: { stage: pick(next, ['new', 'won', 'old']) } },
    { id: 'updateLead', path, body: contact, headers: { 'if-match': '"2"' } },
    { id: 'deleteLead', path },
  ]);
};

const faults: Fault[] = ['held', 'killed before', 'killed after', 'reply lost', 'request lost'];

test(`a key has one answer, whatever comes under it, at once and with faults (SEED=${seed})`, async () => {
  const next = random(seed);
  let answered = 0;
  for (let round = 0; round < 12; round++) {
    const setting = await settings.make();
    const { client, watched } = setting;
    watched.plan({
      name: 'by chance',
      strike: () => (chance(next, 0.05) ? pick(next, faults) : undefined),
    });
    const keys = Array.from({ length: 6 }, () => randomUUID());
    const sent = Array.from({ length: 24 }, () => ({
      request: requestByChance(next, setting),
      key: pick(next, keys),
    }));
    const answers = await Promise.all(
      sent.map(async ({ request, key }) => {
        const all = await client.insist(request, { key, most: 60 });
        return { of: `${request.id} ${key}`, answer: all.at(-1)! };
      }),
    );
    const before = await settings.stateOf(setting);
    await watched.release();
    assert.deepEqual(await settings.stateOf(setting), before);

    const given = answers.filter(({ answer }) => answer.code !== 'idempotency_key_reused');
    answered += given.length;
    for (const [of, all] of Map.groupBy(given, ({ of }) => of)) {
      const different = new Set(all.map(({ answer }) => JSON.stringify(said(answer))));
      expect([round, of, different.size]).toEqual([round, of, 1]);
    }
    const made = given.filter(({ of, answer }) => of.startsWith('createLead') && !answer.code);
    const ids = new Set(made.map(({ answer }) => answer.body.id));
    // Each lead has its history: that of the setting, and one for each create that was answered.
    expect(before.histories.length).toBe(ids.size + 1);
    settings.end(setting);
  }
  console.info(`${answered} answers under keys`);
}, 240_000);
