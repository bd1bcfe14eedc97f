import { expect, test } from 'vitest';
import { provision } from '../../support/organization.ts';

test('fields are listed in the order in which they were made, also archived ones', async () => {
  const organization = await provision();
  const fields: object[] = [];
  for (const key of ['source', 'age', 'a1']) {
    fields.push((await organization.post('/fields', { key, label: 'F', type: 'text' })).body);
  }
  fields[1] = (await organization.patch('/fields/age', { archived: true })).body;
  const { body } = await organization.get('/fields');
  expect(body.items).toEqual(fields);
});
