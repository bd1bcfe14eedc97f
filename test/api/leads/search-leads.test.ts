import { expect, test } from 'vitest';
import type { Lead } from '../../../lib/leads/lead.ts';
import { itemsOf } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';

// What the words of a lead are, and which query they match, is in test/unit/leads/search/words.test.ts; what is found of
// any leads, in search.test.ts there.

const found = async (organization: Organization, q: string, more: object = {}) => {
  const parameters = new URLSearchParams({ q, ...more });
  const { body, text } = await organization.get(`/leads/search?${parameters}`);
  if (!body.items) throw new Error(text);
  return body.items.map(({ contact_name }: Lead) => contact_name);
};

test('leads are found by words and their beginnings: whole words first, then the newest', async () => {
  const organization = await provision();
  const contact = { email: 'j.costa@example.com', phone: '+5511987654321' };
  const company_name = 'Cedro & Filhos';
  await organization.lead({ contact_name: 'João Costa', company_name, ...contact });
  await organization.lead({ contact_name: 'Joana Dias' });
  await organization.lead({ contact_name: 'JOAO Souza', company_name: 'Costa Verde' });
  expect(await found(organization, 'joao')).toEqual(['JOAO Souza', 'João Costa']);
  expect(await found(organization, 'JOÃ')).toEqual(['JOAO Souza', 'Joana Dias', 'João Costa']);
  expect(await found(organization, 'joa', { limit: '2' })).toHaveLength(2);
  for (const q of [`João <${contact.email}>`, '+5511', 'cedro fil']) {
    expect([q, await found(organization, q)]).toEqual([q, ['João Costa']]);
  }
  // All of it is in the one's address, its words begin words of the other.
  expect(await found(organization, 'J.COSTA')).toEqual(['João Costa', 'JOAO Souza']);
  expect(await found(organization, 'osta')).toEqual([]);
});

test('a lead is found at once by what it is changed to, and no more by what it was', async () => {
  const organization = await provision();
  const { id } = await organization.lead({ contact_name: 'Ana Lima', company_name: 'Cedro' });
  await organization.patch(`/leads/${id}`, { contact_name: 'Ana Reis' });
  expect(await found(organization, 'ana reis cedro')).toEqual(['Ana Reis']);
  expect(await found(organization, 'lima')).toEqual([]);
  await organization.patch(`/leads/${id}`, { stage: 'won' });
  expect(await found(organization, 'reis', { stage: 'won' })).toEqual(['Ana Reis']);
  await organization.delete(`/leads/${id}`);
  expect(await found(organization, 'ana')).toEqual([]);
  expect(await itemsOf(organization, 'WORDS')).toEqual([]);
});

test('a search takes the filters of the list', async () => {
  const organization = await provision();
  const owner_id = organization.users.agent;
  const a = await organization.lead({ contact_name: 'Ana A', owner_id, tags: ['x'] });
  await organization.lead({ contact_name: 'Ana B', tags: ['x', 'y'], external_id: 'b' });
  const all: [object, string[]][] = [
    [{ owner_id }, ['Ana A']],
    [{ tag: 'x' }, ['Ana B', 'Ana A']],
    [{ tag: 'y' }, ['Ana B']],
    [{ external_id: 'b' }, ['Ana B']],
    [{ created_from: a.created_at }, ['Ana B', 'Ana A']],
    [{ created_to: a.created_at }, []],
  ];
  for (const [filter, names] of all) {
    expect([filter, await found(organization, 'ana', filter)]).toEqual([filter, names]);
  }
});

test('a search without a word, with too many or one that is too long is refused, and one that is as long as may be is not', async () => {
  const organization = await provision();
  const words = (count: number, between = ' ') =>
    Array.from({ length: count }, (_, i) => `w${i}`).join(between);
  for (const q of ['', ' ', '🚀', words(12), words(12, ', '), 'x'.repeat(201)]) {
    const { body } = await organization.get(`/leads/search?${new URLSearchParams({ q })}`);
    expect([q, body.error.details]).toMatchObject([q, [{ path: 'q' }]]);
  }
  for (const q of [words(11), words(11, ', '), words(11, '-'), 'x'.repeat(200)]) {
    expect(await found(organization, q)).toEqual([]);
  }
  for (const limit of ['0', '51']) {
    const { status } = await organization.get(`/leads/search?q=x&limit=${limit}`);
    expect(status).toBe(400);
  }
  expect(await found(organization, 'x', { limit: '50' })).toEqual([]);
});
