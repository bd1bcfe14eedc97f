import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { handler as createLead } from '../../functions/create-lead.ts';
import { ApiError } from '../../lib/errors.ts';
import {
  answerOnce,
  type Idempotency,
  idempotencyOf,
  liveRecord,
  replay,
  writeOnce,
} from '../../lib/idempotency.ts';
import type { Reply } from '../../lib/operation.ts';
import { openTable, type TableClient } from '../../lib/table/client.ts';
import type { Write } from '../../lib/table/table.ts';
import { Organization, run } from './support.ts';

const day = 24 * 60 * 60;
const now = 1_800_000_000;
let table: TableClient;

beforeAll(() => {
  table = openTable();
});

const call = (change: object = {}) => ({
  organizationId: randomUUID(),
  userId: randomUUID(),
  idempotencyKey: randomUUID() as string | undefined,
  ifMatch: undefined,
  path: {},
  query: {},
  body: {},
  now: now * 1000,
  ...change,
});

const use = (change: object = {}, payload: unknown = { a: 1 }): Idempotency =>
  idempotencyOf('op', call(change), payload)!;

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error) => error.code ?? error.message,
  );

const reply = (n: number, fields: Partial<Reply> = {}): Reply => ({ body: { n }, ...fields });
const replayed = (n: number) => ({ ...reply(n), headers: { 'Idempotency-Replayed': 'true' } });

/** Writes an item of its own, so that it shows whether a transaction was made. */
const mark = () => {
  const key = { pk: `TEST#${randomUUID()}`, sk: 'A' };
  const write: Write<'PutItem'> = {
    Put: { Item: { ...key }, ConditionExpression: 'attribute_not_exists(pk)' },
    refused: () => new ApiError('write_conflict'),
  };
  return {
    write,
    isWritten: async () => (await table.get(key, { consistent: true })) !== undefined,
  };
};

const stored = async ({ key }: Idempotency) => (await table.getAll([key]))[0];

describe('an idempotency key', () => {
  test('belongs to organization, user and operation, and is absent unless sent', () => {
    const one = call();
    const keyOf = (operation: string, change: object = {}) =>
      idempotencyOf(operation, { ...one, ...change }, {})?.key.pk;
    const keys = [
      keyOf('op'),
      keyOf('other'),
      keyOf('op', { organizationId: 'o' }),
      keyOf('op', { userId: 'u' }),
      keyOf('op', { idempotencyKey: 'k' }),
    ];
    expect(new Set(keys).size).toBe(5);
    expect(keyOf('op')).toBe(keys[0]);
    expect(idempotencyOf('op', call({ idempotencyKey: undefined }), {})).toBeUndefined();
  });

  test('knows the payload, and the second', () => {
    expect(use({ now: now * 1000 + 999 }).now).toBe(now);
    expect(use({}, { a: 1 }).fingerprint).toBe(use({}, { a: 1 }).fingerprint);
    expect(use({}, { a: 1 }).fingerprint).not.toBe(use({}, { a: 2 }).fingerprint);
    expect(use().fingerprint).toMatch(/^[\w-]{43}$/);
  });
});

describe('a record', () => {
  const one = use();
  const record = (fields: object = {}) => ({
    ...one.key,
    fingerprint: one.fingerprint,
    reply: JSON.stringify(reply(1, { headers: { ETag: '"1"' } })),
    expires_at: now + 1,
    ...fields,
  });

  test('is live until its time, and absent from then on', () => {
    expect(liveRecord(one, record())).toEqual(record());
    expect(liveRecord(one, record({ expires_at: now }))).toBeUndefined();
    expect(liveRecord(one, undefined)).toBeUndefined();
    expect(liveRecord(undefined, record())).toBeUndefined();
  });

  test('of another request is a mistake, unless its time is over', () => {
    const other = record({ fingerprint: 'other' });
    expect(() => liveRecord(one, other)).toThrow(
      expect.objectContaining({ code: 'idempotency_key_reused' }),
    );
    expect(liveRecord(one, { ...other, expires_at: now })).toBeUndefined();
  });

  test('is answered with its headers, and says so', () => {
    expect(replay(one, record())).toEqual({
      body: { n: 1 },
      headers: { ETag: '"1"', 'Idempotency-Replayed': 'true' },
    });
    expect(replay(one, record({ expires_at: now }))).toBeUndefined();
  });
});

describe('writing once', () => {
  test('records the reply for a day, and a repeat writes nothing and is answered with it', async () => {
    const [one, first, second] = [use(), mark(), mark()];
    expect(await writeOnce(table, one, [first.write], reply(1))).toEqual(reply(1));
    expect(await stored(one)).toEqual({
      ...one.key,
      fingerprint: one.fingerprint,
      reply: JSON.stringify(reply(1)),
      expires_at: now + day,
    });
    expect(await writeOnce(table, one, [second.write], reply(2))).toEqual(replayed(1));
    expect([await first.isWritten(), await second.isWritten()]).toEqual([true, false]);
  });

  test('is told of the first response, not that it conflicts with itself', async () => {
    const [one, first] = [use(), mark()];
    await writeOnce(table, one, [first.write], reply(1));
    expect(await writeOnce(table, one, [first.write], reply(2))).toEqual(replayed(1));
  });

  test('refuses another request with the key, and stores nothing of it', async () => {
    const [one, second] = [use(), mark()];
    await writeOnce(table, one, [], reply(1));
    const other = { ...one, fingerprint: 'other' };
    const refused = writeOnce(table, other, [second.write], reply(2));
    expect(await codeOf(refused)).toBe('idempotency_key_reused');
    expect(await second.isWritten()).toBe(false);
  });

  test('takes the place of a record from the very second at which its time is over', async () => {
    const one = use();
    const again = (seconds: number) => ({ ...one, now: now + seconds });
    await writeOnce(table, one, [], reply(1));
    expect(await writeOnce(table, again(day - 1), [], reply(2))).toEqual(replayed(1));
    expect(await writeOnce(table, again(day), [], reply(3))).toEqual(reply(3));
    expect(await writeOnce(table, again(day + 1), [], reply(4))).toEqual(replayed(3));
  });

  test('stores nothing when another write is refused', async () => {
    const [one, taken] = [use(), mark()];
    await writeOnce(table, undefined, [taken.write], reply(0));
    const refused = writeOnce(table, one, [taken.write], reply(1));
    expect(await codeOf(refused)).toBe('write_conflict');
    expect(await stored(one)).toBeUndefined();
    expect(await writeOnce(table, one, [], reply(2))).toEqual(reply(2));
  });

  test('without a key just writes', async () => {
    const one = mark();
    expect(await writeOnce(table, undefined, [one.write], reply(1))).toEqual(reply(1));
    expect(await one.isWritten()).toBe(true);
    expect(await codeOf(writeOnce(table, undefined, [one.write], reply(1)))).toBe('write_conflict');
  });
});

describe('answering once', () => {
  /** Work that another request with the same key overtakes, and that then fails. */
  const overtaken = (one: Idempotency, error: Error) => async (): Promise<Reply> => {
    await writeOnce(table, one, [], reply(1));
    throw error;
  };
  const conflict = new ApiError('duplicate_lead');

  test('does the work where there is no record, and none where there is one', async () => {
    const one = use();
    expect(await answerOnce(table, one, undefined, async () => reply(1))).toEqual(reply(1));
    await writeOnce(table, one, [], reply(2));
    const never = async () => {
      throw new Error('it was done');
    };
    expect(await answerOnce(table, one, await stored(one), never)).toEqual(replayed(2));
  });

  test('looks once more before it tells an error', async () => {
    const one = use();
    const work = overtaken(one, conflict);
    expect(await answerOnce(table, one, undefined, work)).toEqual(replayed(1));
    const failing = async (): Promise<Reply> => {
      throw conflict;
    };
    expect(await codeOf(answerOnce(table, use(), undefined, failing))).toBe('duplicate_lead');
  });

  test('tells that the key was used for another request, rather than the error', async () => {
    const one = use();
    const work = overtaken({ ...one, fingerprint: 'other' }, conflict);
    expect(await codeOf(answerOnce(table, one, undefined, work))).toBe('idempotency_key_reused');
  });

  test('does not look for what no request can have caused', async () => {
    const one = use();
    const work = overtaken(one, new TypeError('a bug'));
    expect(await codeOf(answerOnce(table, one, undefined, work))).toBe('a bug');
    const failing = async (): Promise<Reply> => {
      throw conflict;
    };
    table.takeCapacity();
    expect(await codeOf(answerOnce(table, undefined, undefined, failing))).toBe('duplicate_lead');
    expect(table.takeCapacity()).toBe(0);
  });
});

test('a create that is repeated answers byte for byte as the first did', async () => {
  const organization = await Organization.make();
  const key = randomUUID();
  const send = (contact_name: string) =>
    run(createLead, {
      headers: organization.headers({ 'Content-Type': 'application/json', 'Idempotency-Key': key }),
      body: JSON.stringify({ contact_name, pipeline_id: organization.pipelineId }),
    });
  const [first, repeat] = [await send('Maria Silva'), await send('Maria Silva')];
  expect([first.status, repeat.status]).toEqual([201, 201]);
  expect(repeat.text).toBe(first.text);
  const { 'X-Request-Id': _first, ...headers } = first.headers;
  const { 'X-Request-Id': _second, ...again } = repeat.headers;
  expect(again).toEqual({ ...headers, 'Idempotency-Replayed': 'true' });
  expect((await send('João')).body.error.code).toBe('idempotency_key_reused');
});
