import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectFindable } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';

const send = (organization: Organization, leads: unknown[], key: string = randomUUID()) =>
  organization.patch('/leads/batch', { leads }, { headers: { 'idempotency-key': key } });

const outcomes = ({ body }: { body: { items: { status: number; error?: { code: string } }[] } }) =>
  body.items.map(({ status, error }) => error?.code ?? status);

test('each lead is changed or refused by itself, in the order of the request', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  const [a, b] = [
    await organization.lead({ email: 'a@example.com' }),
    await organization.lead({ email: 'b@example.com' }),
  ];
  const foreign = await other.lead();
  const answer = await send(organization, [
    { id: a.id, patch: { stage: 'won', tags: ['x'] } },
    { id: b.id, patch: { email: 'a@example.com' } },
    { id: b.id, patch: { value_cents: 3 }, if_match: '"1"' },
    { id: b.id, patch: { value_cents: 4 }, if_match: '"1"' },
    { id: foreign.id, patch: { value_cents: 4 } },
    { id: a.id, patch: { stage: 'none' } },
    { id: a.id, patch: { owner_id: randomUUID() } },
    { id: a.id, patch: { contact_name: null } },
    { id: a.id, patch: {}, if_match: '3' },
    { id: a.id, patch: {} },
    null,
  ]);
  expect(outcomes(answer)).toEqual([
    200,
    'duplicate_lead',
    200,
    'precondition_failed',
    'not_found',
    'invalid_request',
    'invalid_request',
    'invalid_request',
    'invalid_request',
    200,
    'invalid_request',
  ]);
  const [first, second, third] = answer.body.items;
  expect(first).toMatchObject({ etag: '"2"', lead: { id: a.id, stage: 'won', tags: ['x'] } });
  expect(second.error.details).toMatchObject([{ path: 'email', lead_id: a.id }]);
  expect(third).toMatchObject({ etag: '"2"', lead: { id: b.id, value_cents: 3 } });
  expect(answer.body.items[9]).toEqual(first);
  expect(await organization.readAll('/leads')).toEqual([third.lead, first.lead]);
  expect(await other.readAll('/leads')).toEqual([foreign]);
});

test('patches of one lead are applied in their order, each to what the one before it left', async () => {
  const organization = await provision();
  const { id } = await organization.lead({ value_cents: 1, email: 'a@example.com' });
  const next = await organization.lead();
  const answer = await send(organization, [
    { id, patch: { value_cents: 2, email: null } },
    { id: id.toUpperCase(), patch: { value_cents: 1 } },
    { id: next.id, patch: { email: 'b@example.com' } },
    { id, patch: { value_cents: 5 }, if_match: '"3"' },
  ]);
  expect(outcomes(answer)).toEqual([200, 200, 200, 200]);
  expect(answer.body.items.map(({ etag }: { etag: string }) => etag)).toEqual([
    '"2"',
    '"3"',
    '"2"',
    '"4"',
  ]);
  await expectFindable(organization);
});

test('100 leads are changed at once, 101 and none are not; a repeat changes nothing', async () => {
  const organization = await provision();
  const made = await organization.post('/leads/batch', {
    leads: Array.from({ length: 100 }, () => ({
      contact_name: 'Rui',
      pipeline_id: organization.pipelineId,
    })),
  });
  const patches = made.body.items.map(({ lead }: { lead: { id: string } }, i: number) => ({
    id: lead.id,
    patch: { value_cents: i },
  }));
  const key = randomUUID();
  const answer = await send(organization, patches, key);
  expect(new Set(outcomes(answer))).toEqual(new Set([200]));
  await organization.patch(`/leads/${patches[0].id}`, { value_cents: 777 });
  const again = await send(organization, patches, key);
  expect(again.text).toBe(answer.text);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  const values = (await organization.readAll('/leads')).map(({ value_cents }) => value_cents);
  expect(values.sort((a, b) => a - b)).toEqual([...Array(100).keys()].slice(1).concat(777));
  for (const many of [[...patches, patches[0]], []]) {
    expect((await send(organization, many)).body.error.details).toMatchObject([{ path: 'leads' }]);
  }
});
