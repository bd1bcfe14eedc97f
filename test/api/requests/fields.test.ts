import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { operation as createLead } from '../../../functions/leads/create-lead.ts';
import { operation as updateLead } from '../../../functions/leads/update-lead.ts';
import { operation as createPipeline } from '../../../functions/pipelines/create-pipeline.ts';
import { operation as updatePipeline } from '../../../functions/pipelines/update-pipeline.ts';
import { eventsUntil, type Sent } from '../../support/events-out.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { some } from '../../support/some.ts';

// A field that can be sent is stored, answered wherever its resource is, and in the history and the events.
// The fields are the schemas': one that is added is tested too.

type Shape = Record<string, z.core.$ZodType>;
const shapeOf = (schema: z.core.$ZodType | undefined): Shape => {
  const { def } = (schema as unknown as { _zod: { def: { shape?: Shape; in?: z.core.$ZodType } } })
    ._zod;
  return def.shape ?? shapeOf(def.in);
};

const stages = (name: string) => [
  { name: 'new', outcome: 'open' },
  { name, outcome: 'won' },
];

/** Two values of each field that not any text, number or list of texts can be. */
const special = async (organization: Organization): Promise<Record<string, unknown[]>> => {
  const field = { key: 'note', label: 'Note', type: 'text', filterable: true };
  await organization.post('/fields', field);
  const other = await organization.post('/pipelines', { name: 'Other', stages: stages('won') });
  return {
    email: ['one@example.com', 'two@example.com'],
    phone: ['+5511987650001', '+5511987650002'],
    next_step_at: ['2026-12-01T13:00:00.000Z', '2026-12-02T13:00:00.000Z'],
    owner_id: [organization.users.owner, organization.users.agent],
    pipeline_id: [organization.pipelineId, other.body.id],
    stage: ['won', 'new'],
    stages: [stages('won'), stages('lost')],
    default_stage: ['won', 'new'],
    unique_contact: [['phone'], []],
    fields: [{ note: 'one' }, { note: 'two' }],
  };
};

const valuesOf = (known: Record<string, unknown[]>, shape: Shape, n: 0 | 1) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const url = `https://example.com/${n}`;
      const candidates = [known[name]?.[n], `Text ${n}`, url, 17 + n, [`text ${n}`], n === 0];
      const value = candidates.find((one) => one !== undefined && z.safeParse(schema, one).success);
      if (value === undefined) throw new Error(`This test needs two values of ${name}.`);
      return [name, value];
    }),
  );

/** Wherever a lead is answered. */
const everywhere = async (organization: Organization, id: string) => {
  const { body: own } = await organization.get(`/leads/${id}`);
  const { pipeline_id, stage, owner_id, tags, fields } = own;
  const filters = [
    '',
    `pipeline_id=${pipeline_id}`,
    `pipeline_id=${pipeline_id}&stage=${stage}`,
    `stage=${stage}`,
    ...(owner_id ? [`owner_id=${owner_id}`, `owner_id=${owner_id}&stage=${stage}`] : []),
    ...tags.map((tag: string) => `tag=${encodeURIComponent(tag)}`),
    ...Object.entries(fields).map(([key, value]) => `fields[${key}]=${value}`),
  ];
  const found = await Promise.all(
    filters.map(async (filter) => {
      const { body } = await organization.get(`/leads?${filter}`);
      return body.items.find((one: { id: string }) => one.id === id);
    }),
  );
  return [own, ...found];
};

const lastChange = async (organization: Organization, id: string) => {
  const { body } = await organization.get(`/leads/${id}/history?limit=1`);
  const [entry] = body.items;
  const isIts = ({ detail }: Sent) => detail.lead_id === id && detail.version === entry.version;
  const event = (await eventsUntil(organization.id, isIts)).find(isIts);
  expect(event?.detail.changes).toEqual(entry.changes);
  const to: Record<string, unknown> = Object.fromEntries(
    entry.changes.map((one: { field: string; to: unknown }) => [one.field, one.to]),
  );
  const { 'fields.note': note, ...others } = to;
  return note === undefined ? others : { ...others, fields: note === null ? {} : { note } };
};

test.each(some(['POST /leads', 'POST /leads/batch'], 1, 'creates'))(
  'every field of a lead that %s takes, and that a patch changes and clears, is found again everywhere',
  async (how) => {
    const organization = await provision();
    const known = await special(organization);
    const sent = valuesOf(known, shapeOf(createLead.request.body), 0);
    const made =
      how === 'POST /leads'
        ? (await organization.post('/leads', sent)).body
        : (await organization.post('/leads/batch', { leads: [sent] })).body.items[0].lead;
    expect(made).toMatchObject(sent);
    const expectAlike = async () => {
      const [own, ...copies] = await everywhere(organization, made.id);
      for (const one of copies) expect(one).toEqual(own);
      return own;
    };
    expect(await expectAlike()).toEqual(made);
    expect(await lastChange(organization, made.id)).toEqual({ ...sent, stage: 'new' });

    const patchShape = shapeOf(updateLead.request.body);
    for (const [name, value] of Object.entries(valuesOf(known, patchShape, 1))) {
      const before = (await organization.get(`/leads/${made.id}`)).body;
      if (JSON.stringify(before[name]) === JSON.stringify(value)) continue;
      const { body } = await organization.patch(`/leads/${made.id}`, { [name]: value });
      expect(body).toMatchObject({ [name]: value });
      expect(await lastChange(organization, made.id)).toHaveProperty(name, value);
    }
    await expectAlike();
    for (const [name, schema] of Object.entries(patchShape)) {
      if (!z.safeParse(schema, null).success) continue;
      const { body } = await organization.patch(`/leads/${made.id}`, { [name]: null });
      expect([name, Object.keys(body[name] ?? {})]).toEqual([name, []]);
      expect(await lastChange(organization, made.id)).toHaveProperty(name, body[name]);
    }
    await expectAlike();
  },
);

test('every field of a pipeline that can be sent or patched is found again everywhere', async () => {
  const organization = await provision();
  const known = await special(organization);
  const everywhere = async (id: string) => {
    const { body } = await organization.get('/pipelines');
    const own = (await organization.get(`/pipelines/${id}`)).body;
    return [own, body.items.find((one: { id: string }) => one.id === id)];
  };
  const sent = valuesOf(known, shapeOf(createPipeline.request.body), 0);
  const made = (await organization.post('/pipelines', sent)).body;
  expect(made).toMatchObject(sent);
  for (const one of await everywhere(made.id)) expect(one).toEqual(made);
  const patch = valuesOf(known, shapeOf(updatePipeline.request.body), 1);
  for (const name of ['name', 'default_stage', 'stages', 'unique_contact']) {
    const { body } = await organization.patch(`/pipelines/${made.id}`, { [name]: patch[name] });
    expect(body).toMatchObject({ [name]: patch[name] });
    for (const one of await everywhere(made.id)) expect(one).toEqual(body);
    delete patch[name];
  }
  expect(Object.keys(patch), 'to be patched here as well').toEqual([]);
});
