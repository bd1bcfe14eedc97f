import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '@leads-and-stars/runner';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { Change } from '../../../lib/changes/change.ts';
import { newSecret } from '../../../lib/webhooks/endpoint/secrets.ts';
import { signedHeaders } from '../../../lib/webhooks/endpoint/signature.ts';
import { cutOff } from '../../support/cut-off.ts';
import { eventually } from '../../support/eventually.ts';
import { feedStart, feedUntil } from '../../support/feed.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { some } from '../../support/some.ts';

const { baseUrl } = inject('service');
const file = join(import.meta.dirname, '../../../docs/examples/receiver.mjs');

/** `docs/examples/receiver.mjs`, as a process. */
const receive = async (
  organization: Organization,
  port: number,
  secret: string,
  token = organization.tokens.viewer,
) => {
  const child = execFile(process.execPath, [file], {
    env: {
      PORT: String(port),
      WEBHOOK_SECRET: secret,
      BASE_URL: baseUrl,
      TOKEN: token,
      ORGANIZATION: organization.id,
    },
  });
  onTestFinished(() => void child.kill());
  const lines: string[] = [];
  child.stdout?.on('data', (text) => lines.push(...text.trim().split('\n')));
  const url = `http://localhost:${port}/`;
  const unsigned = () => fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined);
  const refused = await eventually(unsigned, (answer) => answer !== undefined);
  expect(refused?.status).toBe(401);
  return lines;
};

test('the receiver of the docs takes what is posted, once, and nothing that is not signed', async () => {
  const organization = await provision();
  const sequence = 2 + (await feedStart(organization));
  const port = await freePort();
  const { body } = await organization.post('/webhooks', { url: `http://localhost:${port}/` });
  await feedUntil(organization, (change) => change.sequence === sequence - 1);
  const lines = await receive(organization, port, body.secret);
  await cutOff(port);
  const { id } = await organization.lead();
  await eventually(
    () => lines,
    ({ length }) => length > 0,
  );
  expect(lines[0]).toMatch(new RegExp(`^lead\\.created ${sequence} ${id} {"version":1,"lead":{`));
  expect(lines[0]).toContain('"stage":"new"');
  await organization.post(`/webhooks/${body.id}/replay`, { after: 0 });
  const twice = await eventually(
    () => organization.readAll(`/webhooks/${body.id}/deliveries`),
    (all) => all.length === 2,
  );
  expect(twice.map(({ status }) => status)).toEqual([204, 204]);
  expect(lines).toHaveLength(1);
});

/** An organization, and its receiver, to which nothing posts but this test. */
const start = async (token?: string) => {
  const organization = await provision();
  const secret = newSecret(Date.now()).value;
  const port = await freePort();
  const lines = await receive(organization, port, secret, token);
  let taken = 0;
  const post = async (change: Change) => {
    const body = JSON.stringify(change);
    const headers = signedHeaders({ id: change.event_id, body, now: Date.now() }, [secret]);
    const { status } = await fetch(`http://localhost:${port}/`, { method: 'POST', headers, body });
    if (status === 204) taken++;
    return status;
  };
  const changesOf = async (id: string, count: number) => {
    const feed = await feedUntil(organization, (one) => isOf(id, one) && one.version === count);
    return feed.filter((one) => isOf(id, one));
  };
  /** The last that it printed of the lead, once it has printed of all that it took: its answer may be heard before. */
  const copyOf = async (id: string) => {
    await eventually(
      () => lines,
      ({ length }) => length === taken,
    );
    const [, copy = ''] = lines.findLast((line) => line.includes(id))!.split(id);
    const { version, lead } = JSON.parse(copy);
    return { version, lead: filled(lead) };
  };
  return { organization, post, changesOf, copyOf };
};
const isOf = (id: string, change: Change) => 'lead_id' in change && change.lead_id === id;

/** As the receiver keeps it: without what is empty. */
const stateOf = async (organization: Organization, id: string, version: number) => {
  const { status, headers, body } = await organization.get(`/leads/${id}`);
  if (status === 404) return { version, lead: null };
  expect(headers.get('etag')).toBe(`"${version}"`);
  const { id: _id, created_at, updated_at, fields, ...lead } = body;
  return { version, lead: filled(lead) };
};
const filled = (lead: Record<string, unknown> | null) =>
  lead && Object.fromEntries(Object.entries(lead).filter(([, value]) => value !== null));

/** What happens to a lead: three changes, and a fourth after them. */
type Step = (organization: Organization, path: string) => Promise<unknown>;
const patch =
  (fields: object): Step =>
  (organization, path) =>
    organization.patch(path, fields);
const remove: Step = (organization, path) => organization.delete(path);
const restore: Step = (organization, path) => organization.post(`${path}/restore`, undefined);
const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

test.each<[string, Step[], Step]>([
  [
    'changed',
    [
      patch({ stage: 'contacted', value_cents: 0, tags: ['0'] }),
      patch({ stage: 'won', value_cents: 1, tags: ['1'] }),
    ],
    patch({ stage: 'new', company_name: 'A' }),
  ],
  ['deleted and restored', [remove, restore], remove],
])(
  'the receiver’s copy of a lead that is %s is the lead as it is, in whatever order its changes come',
  async (what, steps, last) => {
    const { organization, post, changesOf, copyOf } = await start();
    // In `npm test`, two by chance.
    for (const order of some(orders, 2, what)) {
      const { id } = await organization.lead({ tags: ['a'] });
      const path = `/leads/${id}`;
      for (const step of steps) await step(organization, path);
      const changes = await changesOf(id, 3);
      for (const i of order) expect(await post(changes[i]!)).toBe(204);
      expect([order, await copyOf(id)]).toEqual([order, await stateOf(organization, id, 3)]);
      await last(organization, path);
      expect(await post((await changesOf(id, 4))[3]!)).toBe(204);
      expect([order, await copyOf(id)]).toEqual([order, await stateOf(organization, id, 4)]);
    }
  },
);

test('the receiver has no copy of a lead that is erased, also where nothing was known of it', async () => {
  const { organization, post, changesOf, copyOf } = await start();
  for (const known of [true, false]) {
    const { id } = await organization.lead();
    if (known) expect(await post((await changesOf(id, 1))[0]!)).toBe(204);
    await eventually(
      () => organization.post(`/leads/${id}/erase`, undefined),
      ({ status }) => status === 204,
    );
    const [first, last] = (await changesOf(id, 2)) as [Change, Change];
    for (const change of known ? [last] : [first, last]) {
      expect(await post(change)).toBe(204);
      expect([known, await copyOf(id)]).toEqual([known, { version: change.version, lead: null }]);
    }
  }
});

test('the receiver waits for the change before, where the lead can’t be read', async () => {
  const { organization, post, changesOf, copyOf } = await start('none');
  const { id } = await organization.lead();
  await organization.patch(`/leads/${id}`, { stage: 'won' });
  const [first, second] = (await changesOf(id, 2)) as [Change, Change];
  expect(await post(second)).toBe(500);
  expect([await post(first), await post(second)]).toEqual([204, 204]);
  expect(await copyOf(id)).toMatchObject({ version: 2, lead: { stage: 'won' } });
});
