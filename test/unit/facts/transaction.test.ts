import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { FactKind } from '../../../lib/facts/fact.ts';
import { type Origin, ofCommand, ofTime } from '../../../lib/facts/origin.ts';
import { toWrites } from '../../../lib/facts/transaction.ts';
import { replyOnce } from '../../../lib/operations/idempotency.ts';
import {
  recordKeyOf,
  toIdempotentRequest,
  toStoredName,
} from '../../../lib/operations/idempotency-record.ts';
import { openTable } from '../../../lib/table/client.ts';
import { ordinal } from '../../../lib/table/keys.ts';
import { Kind } from '../../../lib/table/kind.ts';
import { Place, toKey } from '../../../lib/table/place.ts';
import { put, remove, update, withoutFact } from '../../../lib/table/write.ts';
import { commitIn, someOrigin } from '../../support/origin.ts';
import '../support.ts';

// A thing with facts, as a lead or a key is one.

const place = new Place('TEST_THING#<id>', 'THING');
const attributes = z.object({ version: z.optional(z.int()) });
const things = new Kind(place, { holds: 'a thing', attributes, hasFacts: true });
const others = new Kind(new Place('TEST_OTHER#<id>', 'OTHER'), { holds: 'another', attributes });
const definition = {
  holds: 'what happened to it',
  thing: place,
  attributes: z.object({
    version: z.int(),
    at: z.string(),
    user_id: z.optional(z.string()),
    request_id: z.optional(z.string()),
    record: z.optional(z.string()),
  }),
};
const factPlace = new Place('TEST_FACT#<id>', '<version>');
const facts = new FactKind(factPlace, { ...definition, namesRecord: true });
const first = { version: 1, at: 'now' };

const table = openTable();
const factOf = (id: string, origin?: Origin) => facts.fact({ id }, first, origin);
const firstKey = (id: string) => facts.key({ id, version: ordinal(1) });
const written = (id: string) => table.get(firstKey(id));

test.each([
  ['put', (id: string) => put(things.key({ id }), {})],
  ['updated', (id: string) => update(things.key({ id }), { set: { version: 1 } })],
  ['removed', (id: string) => remove(things.key({ id }))],
])('a thing is %s with a fact of it, and neither without one nor past a commit', async (_, of) => {
  const [id, other] = [randomUUID(), randomUUID()];
  const commit = commitIn(table);
  expect(() => toWrites([of(id)], someOrigin)).toThrow(
    `no fact tells of the write of TEST_THING#${id}`,
  );
  expect(() => toWrites([of(id), factOf(other)], someOrigin)).toThrow('no fact tells');
  await expect(table.transact([of(id)])).rejects.toThrow('is written past a commit');
  const alone = table.update(things.key({ id }), { set: { version: 1 } });
  await expect(alone).rejects.toThrow('is written past a commit');
  expect(await written(id)).toBeUndefined();
  await commit([of(id), factOf(id)]);
  expect(await written(id)).toMatchObject({ at: 'now' });
});

test('what is no thing needs no fact, nor does a lease or a counter of one', async () => {
  const id = randomUUID();
  await commitIn(table)([put(others.key({ id }), {}), withoutFact(put(things.key({ id }), {}))]);
  expect(await table.get(things.key({ id }))).toBeDefined();
  await table.transact([put(others.key({ id }), { version: 2 })]);
  expect(await table.get(others.key({ id }))).toMatchObject({ version: 2 });
});

test('a fact says who made it and by which request, and what time did says neither', async () => {
  const [user, time, command] = [randomUUID(), randomUUID(), randomUUID()];
  await commitIn(table)([factOf(user), factOf(time, ofTime), factOf(command, ofCommand)]);
  const origin = { user_id: someOrigin.by, request_id: someOrigin.requestId };
  expect(await written(user)).toEqual({
    ...toKey(firstKey(user)),
    ...first,
    ...origin,
  });
  for (const name of ['user_id', 'request_id'])
    expect(await written(time)).not.toHaveProperty(name);
  expect(await written(command)).toMatchObject({ user_id: 'platform' });
  expect(await written(command)).not.toHaveProperty('request_id');
});

test('a fact whose number is taken is decided anew', async () => {
  const id = randomUUID();
  await commitIn(table)([factOf(id)]);
  await expect(commitIn(table)([factOf(id)])).rejects.toMatchObject({ code: 'write_conflict' });
  // But where the thing's own condition tells of others, it is a fault.
  const faulty = new FactKind(factPlace, { ...definition, refused: () => new Error('is behind') });
  await expect(commitIn(table)([faulty.fact({ id }, first)])).rejects.toThrow('is behind');
});

test.each([
  ['a user', (userId: string) => userId],
  ['a platform key', () => 'platform'],
])('by a fact of %s, the record of its reply is found', async (_, by) => {
  const [organizationId, userId, id] = [randomUUID(), randomUUID(), randomUUID()];
  const origin = { by: by(userId), requestId: 'request' };
  const call = {
    organizationId,
    userId,
    origin,
    ifMatch: undefined,
    path: {},
    query: {},
    body: {},
  };
  const request = toIdempotentRequest('op', { ...call, now: Date.now() }, 'a#key')!;
  await replyOnce(table, origin, request, (commit) => commit([factOf(id)], { body: 'done' }));
  const { user_id, record } = (await written(id))!;
  expect(user_id).toBe(origin.by);
  const key = recordKeyOf(organizationId, user_id, record!);
  expect([key.pk, key.sk]).toEqual([request.recordKey.pk, request.recordKey.sk]);
  expect((await table.get(key))?.reply).toContain('done');
});

test('the name of a record has the caller’s id where the fact does not tell it', () => {
  const [user, name] = [randomUUID(), 'createLead#key'];
  expect(toStoredName(name, user, user)).toBe(name);
  expect(toStoredName(name, user, 'platform')).toBe(`${user}#${name}`);
  expect(toStoredName(name, user, null)).toBe(`${user}#${name}`);
});
