import { expect, test } from 'vitest';
import type { Lead } from '../../../lib/leads/lead.ts';
import { type Organization, provision } from '../../support/organization.ts';

const duplicatesOf = async (organization: Organization, { id }: Pick<Lead, 'id'>) => {
  const { status, body } = await organization.get(`/leads/${id}/duplicates`);
  if (status !== 200) return body.error.code;
  const items = body.items.map(({ lead, same }: { lead: Lead; same: string[] }) => [
    lead.contact_name,
    same,
  ]);
  return { items, more: body.more };
};

test('leads that may be the same person are told with why, those with most in common first', async () => {
  const organization = await provision();
  const stages = [{ name: 'new', outcome: 'open' }];
  const [pipeline, other] = await Promise.all(
    ['One', 'Other'].map(
      async (name) =>
        (await organization.post('/pipelines', { name, stages, unique_contact: [] })).body,
    ),
  );
  const add = (contact_name: string, fields: object = {}) =>
    organization.lead({
      pipeline_id: pipeline.id,
      contact_name,
      email: null,
      phone: null,
      ...fields,
    });
  const [email, phone] = ['maria@example.com', '+5511987654321'];
  const one = await add('Maria Łuz', { email, phone, company_name: 'Cedro' });
  await add('M. L.', { email: 'MARIA@example.com' });
  await add('Recepção', { phone, pipeline_id: other.id });
  await add('LUZ, Maria', {});
  await add('Maria da Luz', { company_name: 'Cedro Ltda' });
  await add('Maria Luz', { company_name: 'Pinho' });
  await add('Maria Luzia', {});
  await add('Maria', {});
  await add('maria luz', { email, phone, company_name: 'CEDRO', pipeline_id: other.id });
  expect(await duplicatesOf(organization, one)).toEqual({
    items: [
      ['maria luz', ['email', 'phone', 'name']],
      ['Maria da Luz', ['name']],
      ['LUZ, Maria', ['name']],
      ['Recepção', ['phone']],
      ['M. L.', ['email']],
    ],
    more: false,
  });
  const alone = await add('Xavier');
  expect(await duplicatesOf(organization, alone)).toEqual({ items: [], more: false });
});

test('a lead that is gone is no duplicate, and has none', async () => {
  const organization = await provision();
  const add = () => organization.lead({ contact_name: 'Ana Reis', email: null, phone: null });
  const [one, gone] = [await add(), await add()];
  expect((await duplicatesOf(organization, one)).items).toHaveLength(1);
  await organization.delete(`/leads/${gone.id}`);
  expect(await duplicatesOf(organization, one)).toEqual({ items: [], more: false });
  expect(await duplicatesOf(organization, gone)).toBe('not_found');
});
