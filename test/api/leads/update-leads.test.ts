import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectFindable } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';

const send = (organization: Organization, leads: unknown[], key: string = randomUUID()) =>
  organization.patch('/leads/batch', { leads }, { headers: { 'idempotency-key': key } });

interface Item {
  status: number;
  etag?: string;
  error?: { code: string };
}
const outcomes = ({ body }: { body: { items: Item[] } }) =>
  body.items.map(({ status, etag, error }) => error?.code ?? etag ?? status);

test('each lead of a batch is changed or refused by itself, in the order of the request', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  const [a, b] = [
    await organization.lead({ email: 'a@example.com' }),
    await organization.lead({ email: 'b@example.com' }),
  ];
  const foreign = await other.lead();
  const invalid = 'invalid_request';
  const parts: [part: object | null, outcome: string][] = [
    [{ id: a.id, patch: { stage: 'won', tags: ['x'] } }, '"2"'],
    [{ id: b.id, patch: { email: 'a@example.com' } }, 'duplicate_lead'],
    [{ id: b.id, patch: { value_cents: 3 }, if_match: '"1"' }, '"2"'],
    [{ id: b.id, patch: { value_cents: 4 }, if_match: '"1"' }, 'precondition_failed'],
    [{ id: foreign.id, patch: { value_cents: 4 } }, 'not_found'],
    [{ id: a.id, patch: { stage: 'none' } }, invalid],
    [{ id: a.id, patch: { owner_id: randomUUID() } }, invalid],
    [{ id: a.id, patch: { contact_name: null } }, invalid],
    [{ id: a.id, patch: {}, if_match: '3' }, invalid],
    [{ id: a.id, patch: {} }, '"2"'],
    [null, invalid],
  ];
  const answer = await send(
    organization,
    parts.map(([part]) => part),
  );
  expect(outcomes(answer)).toEqual(parts.map(([, outcome]) => outcome));
  const { items } = answer.body;
  expect(items[0].lead).toMatchObject({ id: a.id, stage: 'won', tags: ['x'] });
  expect(items[1].error.details).toMatchObject([{ path: 'email', lead_id: a.id }]);
  expect(items[2].lead).toMatchObject({ id: b.id, value_cents: 3 });
  expect(items[9]).toEqual(items[0]);
  expect(await organization.readAll('/leads')).toEqual([items[2].lead, items[0].lead]);
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
  expect(outcomes(answer)).toEqual(['"2"', '"3"', '"2"', '"4"']);
  await expectFindable(organization);
});

test('100 leads are changed at once, 101 and none are not; a repeat changes nothing', async () => {
  const organization = await provision();
  const lead = { contact_name: 'Rui', pipeline_id: organization.pipelineId };
  const made = await organization.post('/leads/batch', { leads: Array(100).fill(lead) });
  const patches = made.body.items.map((item: { lead: { id: string } }, value_cents: number) => ({
    id: item.lead.id,
    patch: { value_cents },
  }));
  const key = randomUUID();
  const answer = await send(organization, patches, key);
  expect(new Set(outcomes(answer))).toEqual(new Set(['"2"']));
  await organization.patch(`/leads/${patches[0].id}`, { value_cents: 777 });
  const again = await send(organization, patches, key);
  expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([answer.text, 'true']);
  const values = (await organization.readAll('/leads')).map(({ value_cents }) => value_cents);
  expect(values.sort((a, b) => a - b)).toEqual([...Array(100).keys()].slice(1).concat(777));
  for (const many of [[...patches, patches[0]], []]) {
    expect((await send(organization, many)).body.error.details).toMatchObject([{ path: 'leads' }]);
  }
});
