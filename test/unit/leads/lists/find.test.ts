import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { findLeads } from '../../../../lib/leads/lists/find.ts';
import { table } from '../leads-in-process.ts';

// What is found by any contacts: test/api/leads/any-sequence.test.ts.

test('a list by email goes on after any id, and a made-up place behind all of them is no cursor', async () => {
  const filters = { tags: [], pipeline_id: randomUUID(), email: 'ana@example.com' };
  const after = (place: string) => findLeads(table, randomUUID(), filters, 10, place);
  expect(await after('01a215c1-0000-7000-8000-000000000000')).toEqual({
    leads: [],
    next: undefined,
  });
  await expect(after('ffffffff-ffff-7fff-8fff-ffffffffffff')).rejects.toMatchObject({
    code: 'invalid_cursor',
  });
});
