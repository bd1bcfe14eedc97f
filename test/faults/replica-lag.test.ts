import assert from 'node:assert/strict';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReplicaLag } from '../support/faults/replica-lag.ts';
import { quick, some } from '../support/some.ts';
import type { Answer } from './client.ts';
import { LaggingService } from './lagging-service.ts';
import { reads, typical, type Way, wayOf, writes } from './operations.ts';
import type { Settings } from './setting.ts';

// DynamoDB's indexes, and reads that are not asked to be consistent, may be behind. In `npm test`, some writes are tried.

let lagging: LaggingService;
let store: ReplicaLag;
let settings: Settings;

beforeAll(async () => {
  lagging = await LaggingService.start();
  ({ store, settings } = lagging);
});

afterAll(() => lagging?.close());

/** What is done while everything that may be behind is. */
const behind = async <T>(work: () => Promise<T>): Promise<T> => {
  store.hold();
  try {
    return await work();
  } finally {
    await store.release();
  }
};

const stateAfter = async (of: Way, held: boolean) => {
  const provisioned = of.id !== 'putOrganization';
  const setting = await settings.make({ provisioned });
  // Held from before its last change, so that what the write is decided on is not there yet.
  const change = async () => {
    if (provisioned) await settings.fill(setting);
    return (await setting.client.insist(await of.request(setting))).at(-1)!;
  };
  const { status } = held ? await behind(change) : await change();
  const state = await settings.stateOf(setting);
  settings.end(setting);
  return { status, state };
};

const decidesOnWhatIs = async (of: Way): Promise<void> => {
  assert.deepEqual(await stateAfter(of, true), await stateAfter(of, false));
};

const tried = quick
  ? some(
      writes.filter(({ id }) => typical.has(id)),
      6,
      'behind',
    )
  : writes;

test.each(tried)('$name decides on what is, however far behind reads are', decidesOnWhatIs);

const timeless = ({ status, body }: Answer) => ({ status, ...body, as_of: undefined });

test('only lists of leads are behind, and show what was so', async () => {
  const setting = await settings.make();
  const { client } = setting;
  const all = await Promise.all(reads.map((way) => way.request(setting)));
  const readAll = () => Promise.all(all.map(async (one) => timeless(await client.send(one))));
  const before = await readAll();
  const during = await behind(async () => {
    await settings.fill(setting);
    return readAll();
  });
  const after = await readAll();
  all.forEach(({ id }, i) => {
    expect(during[i]).toEqual(id === 'listLeads' ? before[i] : after[i]);
  });
  // There was something to be behind of.
  expect(before).not.toEqual(after);
  expect(store.staleReads).toBeGreaterThan(0);
  settings.end(setting);
});

test('what was there before the first page is on some page, though the list catches up in between', async () => {
  const setting = await settings.make();
  const { client, pipelineId, leadId } = setting;
  const create = async (name: string): Promise<string> => {
    const body = { contact_name: name, pipeline_id: pipelineId, tags: ['inbound'] };
    return (await client.insist({ id: 'createLead', path: '/leads', body })).at(-1)!.body.id;
  };
  const [second, third] = [await create('second'), await create('third')];
  const page = async (query: string, cursor: string) => {
    const path = `/leads?limit=1&${query}${cursor && `&cursor=${cursor}`}`;
    const { body } = await client.send({ id: 'listLeads', path });
    return { id: body.items[0]?.id, next: body.next_cursor };
  };
  for (const query of ['', `pipeline_id=${pipelineId}`, 'stage=new', 'tag=inbound']) {
    store.hold();
    await create('unseen');
    const first = await page(query, '');
    await client.insist({ id: 'deleteLead', path: `/leads/${await create('gone')}` });
    await store.release();
    const next = await page(query, first.next);
    expect([first.id, next.id]).toEqual([third, second]);
    expect((await page(query, next.next)).id).toBe(leadId);
    // It has caught up: whatever is newer is in the list now.
    const { id: newest } = await page(query, '');
    expect(newest).not.toBe(third);
    await client.insist({ id: 'deleteLead', path: `/leads/${newest}` });
  }
  settings.end(setting);
});

test('a member who was removed is out at once', async () => {
  const setting = await settings.make();
  const viewer = await settings.viewerOf(setting);
  const list = { id: 'listLeads', path: '/leads' };
  expect((await viewer.send(list)).status).toBe(200);
  await behind(async () => {
    await setting.client.insist(await wayOf('deleteMember, a member is removed').request(setting));
    // Who was seen before is read together with other things.
    for (const one of [list, { id: 'listPipelines', path: '/pipelines' }]) {
      expect((await viewer.send(one)).code).toBe('forbidden');
    }
  });
  settings.end(setting);
});
