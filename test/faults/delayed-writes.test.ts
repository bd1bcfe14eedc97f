import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { atMost } from '../support/at-most.ts';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import type { Fault } from '../support/faults/watched-requests.ts';
import { prepared } from '../support/prepared.ts';
import { chance, pick, random, seed } from '../support/random.ts';
import { quick, some, times } from '../support/some.ts';
import { type Answer, isFinal, isRepeatable, type Request, takesKey } from './client.ts';
import { wayOf } from './operations.ts';
import { newcomer, type Setting, Settings, viewerId } from './setting.ts';

// A write that is held up on its way arrives after its repeat was answered, and after someone else has
// changed the same thing. It must not take effect any more, whether its function has died meanwhile or
// waits for it: a key has one answer. In `npm test`, no function dies, and some writes are tried.

let faulty: FaultyService;
let settings: Settings;
let held = 0;
let waited = 0;

const environmentsPerFunction = 4;

beforeAll(async () => {
  faulty = await startFaultyService(await prepared(), {
    environmentsPerFunction,
    sharesProcesses: quick,
    isPatient: true,
  });
  settings = new Settings(faulty);
});

afterAll(async () => {
  console.info(`${held} writes were held up, ${waited} of them for functions that still waited`);
  await faulty?.close();
  if (held > 0) expect(waited).toBeGreaterThan(0);
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

/** A change of what the other request was for. */
const same = (id: string, body?: object, pathOf = (path: string) => path): Write =>
  write(id, (_, { path = '' }) => ({ path: pathOf(path), body }));

/** What someone else does to the same thing, and what undoes it or does it once more. */
const ofLead = (id: string, body?: object, end = '') =>
  write(id, ({ leadId }) => ({ path: `/leads/${leadId}${end}`, body }));
const changeLead = ofLead('updateLead', { stage: 'old', value_cents: 1 });
const restoreLead = ofLead('restoreLead', undefined, '/restore');
/** Of a lead that is made by itself, or of the batch's. */
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
const ofMember = (id: string, userId: string, body?: object) =>
  write(id, () => ({ path: `/members/${userId}`, body }));
const putAgent = ofMember('putMember', viewerId, { role: 'agent' });
const spend = write('putSpend', () => ({ path: '/billing/spends/theirs', body: { stars: 60 } }));
const renameApiKey = same('updateApiKey', { name: 'Theirs' }, (path) =>
  path.replace('/rotate', ''),
);
const releaseHold = same('releaseHold', undefined, (path) =>
  path.replace(/(\/capture)?$/, '/release'),
);
const otherAlerts = write('putAlerts', () => ({
  path: '/billing/alerts',
  body: { thresholds: [7] },
}));
const pro = { name: 'Pro', monthly_grant_stars: 100, price_cents: 4900, currency: 'USD' };
const putPlan = (fields: object = {}) =>
  write('putPlan', ({ plan }) => ({ path: `/billing/plans/${plan}`, body: { ...pro, ...fields } }));

/** Each write, by the name of its example or as it is, with what others may do before its repeat, or after it. */
const cases = (
  [
    ['createLead, a new lead', sameContact],
    ['createLeads, a taken contact, one that is made, and one that is wrong', sameContact],
    ['updateLead, a stage, an email, tags and a value', changeLead],
    [ofLead('updateLead', { stage: 'new' }), changeLead],
    ['updateLead, with If-Match', changeLead],
    ['deleteLead, a lead is deleted', changeLead],
    ['deleteLead, a lead is deleted', restoreLead],
    ['deleteLead, with If-Match', changeLead],
    ['mergeLead, the same person twice', changeLead],
    ['restoreLead, a lead that was deleted', changeLead],
    ['upsertLead, one whose email is there is changed', changeLead],
    ['eraseLead, a lead with a note', changeLead],
    ['updateNote, another text', same('deleteNote')],
    ['deleteNote, a note', same('updateNote', { text: 'Theirs' })],
    ['updateField, another label, and one more option', same('updateField', { label: 'Theirs' })],
    ['createPipeline, a new pipeline', renamePipeline],
    ['updatePipeline, other stages', renamePipeline],
    ['updatePipeline, with If-Match', renamePipeline],
    [putAgent, ofMember('putMember', viewerId, { role: 'billing' })],
    [putAgent, ofMember('deleteMember', viewerId)],
    ['putMember, another owner', ofMember('deleteMember', newcomer)],
    ['deleteMember, a member is removed', putAgent],
    ['createApiKey, for a form', putAgent],
    ['updateApiKey, another role', renameApiKey],
    ['rotateApiKey, the secret before is good for a day', renameApiKey],
    ['revokeApiKey, an API key is revoked', renameApiKey],
    ['putSpend, of both kinds', spend],
    ['createSpends, one is made, one refused', spend],
    ['putEvent, a refund', spend],
    ['putHold, of both kinds', spend],
    ['captureHold, what it cost', releaseHold],
    ['releaseHold, none of it spent', spend],
    ['putAlerts, two', otherAlerts],
    ['applyWalletEvents, a pack and a month of a subscription', spend],
  ] satisfies [string | Write, Write][]
).map(([of, other]) => ({ write: typeof of === 'string' ? wayOf(of) : of, other }));

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
  const request = await of.request(setting);
  // What has to come first is not its own, nor is a try that failed.
  const forget = () => setting.watched.plan(undefined);
  forget();
  await setting.client.insist(request, { between: forget });
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
      ...(quick ? [] : [{ at, when, lives: false, keyed: true }]),
      { at, when, lives: true, keyed: true },
      ...(isRepeatable(id) ? [{ at, when, lives: true, keyed: false }] : []),
    ]),
  );

/** Of more at once, some would take too long on a machine with two cores. */
const inTurn = atMost(8);
/** Whoever is held up has an environment of a function, and its repeat waits for another one. */
const turnsOf = new Map<string, ReturnType<typeof atMost>>();
const inTurnOf = ({ id }: Write) => {
  const turn = turnsOf.get(id) ?? atMost(environmentsPerFunction - 1);
  turnsOf.set(id, turn);
  return <T>(work: () => Promise<T>) => turn(() => inTurn(work));
};

/** Sends a request, one of whose writes is held up: if it comes to that write. */
const sendHeldUp = async (of: Write, { at, lives, keyed }: Way) => {
  const setting = await make(of);
  const { watched, client } = setting;
  const [request, key] = [await of.request(setting), keyed ? randomUUID() : null];
  const onItsWay = Promise.withResolvers<true>();
  watched.plan({
    name: 'held',
    strike: (_k, { operation, n }) => {
      if (operation !== writing || n !== at) return undefined;
      onItsWay.resolve(true);
      return lives ? 'held up' : 'held';
    },
  });
  const first = client.send(request, key);
  const isHeld = (await Promise.race([onItsWay.promise, first])) === true;
  if (isHeld && !lives) expect((await first).code, 'it should have died').toBeDefined();
  watched.plan(undefined);
  return { setting, request, key, first, isHeld };
};

/** Tries three times at most: on a slow machine, a function may fail before the write that is to be held up. */
const insistHeldUp = async (of: Write, way: Way) => {
  const failed: Answer[] = [];
  while (failed.length < 3) {
    const sent = await sendHeldUp(of, way);
    if (sent.isHeld) return sent;
    failed.push(await sent.first);
    settings.end(sent.setting);
  }
  throw new Error(`nothing was held up: ${JSON.stringify(failed)}`);
};

const holdUp = async (of: Write, other: Write, way: Way) => {
  const { setting, request, key, first } = await insistHeldUp(of, way);
  const { watched, client } = setting;
  const hasKey = way.keyed && takesKey(request.id);
  held++;
  let hasAnswered = false;
  void first.then(() => {
    hasAnswered = true;
  });

  // What they do may be refused, as it is when the repeat was first.
  const theirs = async () => (await client.insist(await other.request(setting, request))).at(-1)!;
  const earlier = way.when === 'before' ? await theirs() : undefined;
  const final = (await client.insist(request, { key })).at(-1)!;
  if (way.when === 'after') await theirs();
  // A contact that they took is free again.
  if (other === sameContact && earlier) {
    await client.insist({ id: 'deleteLead', path: `/leads/${earlier.body.id}` });
  }

  const before = await settings.stateOf(setting);
  if (way.lives && !hasAnswered) waited++;
  expect(await watched.release()).toBe(1);
  if (way.lives) {
    const answer = await first;
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

const byFunction = [...Map.groupBy(cases, ({ write }) => write.id)];

/** Those that must not follow another's change, whatever may be repeated. */
const decidedOnce = ['putMember', 'deleteMember', 'putAlerts', 'deleteLead'];
const isDecidedOnce = ([id]: (typeof byFunction)[number]) => decidedOnce.includes(id);

test.concurrent.each([
  ...some(byFunction.filter(isDecidedOnce), 2, 'decided once'),
  ...some(
    byFunction.filter((one) => !isDecidedOnce(one)),
    1,
    'held up',
  ),
])('%s that is held up takes no effect once its repeat was answered', async (id, ways) => {
  for (const { write, other } of ways) {
    const places = await inTurn(() => writesOf(write));
    expect(places.length).toBeGreaterThan(0);
    await Promise.all(
      waysToHold(id, places).map(async (way) => {
        await inTurnOf(write)(() => holdUp(write, other, way)).catch((error) => {
          const name = 'name' in write ? write.name : id;
          throw new Error(`${name}, and ${other.id}, ${JSON.stringify(way)}: ${error.message}`);
        });
      }),
    );
  }
});

// The catalogue is every organization's: nothing else may be under way.
test('putPlan that is held up takes no effect once its repeat was answered', async () => {
  const newPlan = putPlan({ name: 'Theirs', price_cents: 1 });
  for (const way of waysToHold('putPlan', [1])) await holdUp(putPlan(), newPlan, way);
});

/** Requests of a few kinds about the same few things, under a few keys. */
const requestByChance = (next: () => number, { pipelineId, leadId }: Setting): Request => {
  const email = pick(next, ['rui@example.com', 'eva@example.com', 'ana-0@example.com']);
  const path = `/leads/${leadId}`;
  const lead = { contact_name: 'Rui', pipeline_id: pipelineId, email };
  return pick(next, [
    { id: 'createLead', path: '/leads', body: lead },
    { id: 'updateLead', path, body: { stage: pick(next, ['new', 'won', 'old']) } },
    { id: 'updateLead', path, body: { email }, headers: { 'if-match': '"2"' } },
    { id: 'deleteLead', path },
  ]);
};

const faults: Fault[] = ['held', 'killed before', 'killed after', 'reply lost', 'request lost'];

test(`a key has one answer, whatever comes under it, at once and with faults (SEED=${seed})`, async () => {
  const next = random(seed);
  let answered = 0;
  for (let round = 0; round < times(1, 12); round++) {
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
});
