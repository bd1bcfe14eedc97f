import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, type Request, takesKey } from './client.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { putPlan, writes } from './operations.ts';
import { newcomer, type Setting, Settings, viewerId } from './setting.ts';

// A write that is held up on its way arrives after its repeat was answered, and after someone else has
// changed the same thing. It must not take effect any more: a key has one answer.

let faulty: FaultyService;
let settings: Settings;
let held = 0;

beforeAll(async () => {
  faulty = await startFaultyService({ environmentsPerFunction: 8 });
  settings = new Settings(faulty);
});

afterAll(async () => {
  console.info(`${held} writes were held up`);
  await faulty?.close();
});

type Write = (setting: Setting) => Request;

/** What someone else does to the same thing, and what undoes it or does it once more. */
const changeLead: Write = ({ leadId }) => ({
  id: 'updateLead',
  path: `/leads/${leadId}`,
  body: { stage: 'old', value_cents: 1 },
});
const sameContact: Write = ({ pipelineId: pipeline_id }) => ({
  id: 'createLead',
  path: '/leads',
  body: { contact_name: 'Zoe', pipeline_id, email: 'rui@example.com' },
});
const renamePipeline: Write = ({ pipelineId }) => ({
  id: 'updatePipeline',
  path: `/pipelines/${pipelineId}`,
  body: { name: 'Theirs' },
});
const putMember =
  (userId: string, role: string): Write =>
  () => ({ id: 'putMember', path: `/members/${userId}`, body: { role } });
const removeMember =
  (userId: string): Write =>
  () => ({ id: 'deleteMember', path: `/members/${userId}` });
const spend: Write = ({ id }) => ({
  id: 'spendStars',
  body: { organization_id: id, event_id: 'theirs', stars: 60 },
});
const newPlan: Write = (setting) => {
  const request = putPlan(setting);
  return { ...request, body: { ...(request.body as object), name: 'Theirs', price_cents: 1 } };
};

/** Each write, with what others may do before its repeat, or after it. */
const cases: [name: string, write: Write, other: Write][] = [
  ['createLead', writes.createLead!, sameContact],
  ['createLeads', writes.createLeads!, sameContact],
  ['updateLead', writes.updateLead!, changeLead],
  ['updateLead that changes nothing', ({ leadId }) => noChange(leadId), changeLead],
  ['updateLead with If-Match', writes['updateLead with If-Match']!, changeLead],
  ['deleteLead', writes.deleteLead!, changeLead],
  ['deleteLead with If-Match', writes['deleteLead with If-Match']!, changeLead],
  ['createPipeline', writes.createPipeline!, renamePipeline],
  ['updatePipeline', writes.updatePipeline!, renamePipeline],
  ['updatePipeline with If-Match', writes['updatePipeline with If-Match']!, renamePipeline],
  ['putMember', putMember(viewerId, 'agent'), putMember(viewerId, 'billing')],
  ['putMember, and who is removed', putMember(viewerId, 'agent'), removeMember(viewerId)],
  ['putMember of someone new', writes.putMember!, removeMember(newcomer)],
  ['deleteMember', writes.deleteMember!, putMember(viewerId, 'agent')],
  ['spendStars', writes.spendStars!, spend],
  ['applyWalletEvents', writes.applyWalletEvents!, spend],
];

const noChange = (leadId: string): Request => ({
  id: 'updateLead',
  path: `/leads/${leadId}`,
  body: { stage: 'new' },
});

const said = ({ status, code, body }: Answer) => [
  status,
  code,
  body?.error?.details,
  body?.items ?? body?.id,
];

/** How many requests of it write. */
const writesOf = async (of: Write): Promise<number[]> => {
  const setting = await make(of);
  setting.watched.plan(undefined);
  await setting.client.insist(of(setting));
  const places = setting.watched.requests.flatMap((name, i) =>
    name === 'TransactWriteItems' ? [i + 1] : [],
  );
  settings.end(setting);
  return places;
};

const make = (of: Write): Promise<Setting> => {
  const functionId = of({} as Setting).id;
  return settings.make({ functionId, marks: functionId === 'putPlan' ? ['PLANS'] : [] });
};

const holdUp = async (of: Write, other: Write, at: number, when: 'before' | 'after') => {
  const setting = await make(of);
  const { watched, client } = setting;
  const [request, key] = [of(setting), randomUUID()];
  watched.plan({ name: 'held', strike: (k) => (k === at ? 'held' : undefined) });
  const first = await client.send(request, key);
  expect(first.code, 'it should have died').toBeDefined();
  watched.plan(undefined);

  // What they do may be refused, as it is when the repeat was first.
  if (when === 'before') await client.insist(other(setting));
  const final = (await client.insist(request, { key })).at(-1)!;
  if (when === 'after') await client.insist(other(setting));

  const before = await settings.stateOf(setting);
  expect(await watched.release()).toBe(1);
  assert.deepEqual(await settings.stateOf(setting), before);

  const again = (await client.insist(request, { key })).at(-1)!;
  if (takesKey(request.id)) {
    expect(said(again)).toEqual(said(final));
    assert.deepEqual(await settings.stateOf(setting), before);
  }
  settings.end(setting);
};

/** By function: what is killed for one case is not there for another. */
const byFunction = Map.groupBy(cases, ([, of]) => of({} as Setting).id);

test.concurrent.each([...byFunction])(
  '%s that is held up takes no effect once its repeat was answered',
  async (_, ways) => {
    for (const [name, write, other] of ways) {
      const places = await writesOf(write);
      expect(places.length, name).toBeGreaterThan(0);
      for (const at of places) {
        for (const when of ['before', 'after'] as const) {
          held++;
          await holdUp(write, other, at, when).catch((error) => {
            throw new Error(`${name}, request ${at}, ${when}: ${error.message}`);
          });
        }
      }
    }
  },
  240_000,
);

// The catalogue is every organization's: nothing else may be under way.
test('putPlan that is held up takes no effect once its repeat was answered', async () => {
  for (const when of ['before', 'after'] as const) await holdUp(putPlan, newPlan, 1, when);
});
