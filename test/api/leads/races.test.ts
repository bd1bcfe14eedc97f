import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Organization, provision } from '../../support/organization.ts';

const atOnce = <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

const lead = (organization: Organization, fields: object = {}) => ({
  contact_name: 'Maria Silva',
  pipeline_id: organization.pipelineId,
  ...fields,
});

test('50 at once with one idempotency key make one lead and 50 equal answers', async () => {
  const organization = await provision();
  const options = { headers: { 'idempotency-key': randomUUID() } };
  const answers = await atOnce(50, () =>
    organization.post('/leads', lead(organization, { email: 'm@example.com' }), options),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  const replays = answers.filter(({ headers }) => headers.has('idempotency-replayed'));
  expect(replays.length).toBe(49);
  expect((await organization.get('/leads')).body.items.length).toBe(1);
});

test('50 at once with one email make one 201 and 49 × 409', async () => {
  const organization = await provision();
  const answers = await atOnce(50, () =>
    organization.post('/leads', lead(organization, { email: 'm@example.com' })),
  );
  const created = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ body }) => body.error?.code === 'duplicate_lead');
  expect([created.length, refused.length]).toEqual([1, 49]);
  for (const { body } of refused) expect(body.error.details[0].lead_id).toBe(created[0]?.body.id);
});

test('pages read while leads are being created show every earlier lead once', async () => {
  const organization = await provision();
  const earlier = await atOnce(40, () => organization.lead());
  let reading = true;
  const creating = (async () => {
    while (reading) await organization.lead();
  })();
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = await organization.get(`/leads?limit=7${cursor && `&cursor=${cursor}`}`);
    seen.push(...page.body.items.map(({ id }: { id: string }) => id));
    cursor = page.body.next_cursor;
  }
  reading = false;
  await creating;
  expect(seen).toEqual([...new Set(seen)].sort().reverse());
  expect(earlier.filter(({ id }) => !seen.includes(id))).toEqual([]);
});
