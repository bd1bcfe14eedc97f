import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ApiError, type ErrorCode, errorCodes } from '../../../lib/errors/errors.ts';
import type { HttpHandler } from '../../../lib/handlers/http/middleware.ts';
import { serve } from '../../../lib/handlers/http/serve.ts';
import type { Commit, PartReplies } from '../../../lib/operations/commit.ts';
import { replyOnce, replyToParts } from '../../../lib/operations/idempotency.ts';
import {
  type IdempotentRequest,
  toIdempotentRequest,
} from '../../../lib/operations/idempotency-record.ts';
import type { AnyOperation } from '../../../lib/operations/kinds/operation.ts';
import type { Reply } from '../../../lib/operations/request.ts';
import { openTable } from '../../../lib/table/client.ts';
import { places } from '../../../lib/table/keys.ts';
import { ConflictError } from '../../../lib/table/retry.ts';
import type { Write, WriteAction } from '../../../lib/table/table.ts';
import { someOrigin } from '../../support/origin.ts';
import { echo, echoed } from '../echo.ts';
import { Organization, run } from '../support.ts';

const day = 24 * 60 * 60;
const now = 1_800_000_000;
const table = openTable();

const call = (change: object = {}) => ({
  organizationId: randomUUID(),
  userId: randomUUID(),
  origin: someOrigin,
  ifMatch: undefined,
  path: {},
  query: {},
  body: {},
  now: now * 1000,
  ...change,
});

const keyedRequest = (change: object = {}): IdempotentRequest =>
  toIdempotentRequest('op', call(change), randomUUID())!;

/** Of another request. */
const another = (one: IdempotentRequest): IdempotentRequest => ({
  ...one,
  fingerprint: 'other',
  rawFingerprint: 'other',
});

/** The same so many seconds later. */
const later = (one: IdempotentRequest, seconds: number): IdempotentRequest => ({
  ...one,
  nowSeconds: now + seconds,
  expiresAtSeconds: now + seconds + day,
});

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error) => error.code ?? error.message,
  );

const reply = (n: number, fields: Partial<Reply> = {}): Reply => ({ body: { n }, ...fields });
const replayOf = (n: number) => ({ ...reply(n), headers: { 'Idempotency-Replayed': 'true' } });

/** Writes an item of its own, so that it shows whether a transaction was made. */
const mark = () => {
  const key = { pk: `TEST#${randomUUID()}`, sk: 'A' };
  const write: Write<'PutItem'> = {
    Put: { Item: { ...key }, ConditionExpression: 'attribute_not_exists(pk)' },
    refused: () => new ApiError('write_conflict'),
  };
  return {
    write,
    isWritten: async () => (await table.get(key)) !== undefined,
  };
};

const stored = async ({ recordKey }: IdempotentRequest) => (await table.getAll([recordKey]))[0];

type Work = (commit: Commit<WriteAction>) => Promise<Reply>;

/** Work that writes, … */
const writing =
  (n: number, ...writes: Write<'PutItem'>[]): Work =>
  (commit) =>
    commit(writes, reply(n));
/** … that has nothing to write, … */
const answering =
  (n: number): Work =>
  async () =>
    reply(n);
/** … and that is refused. */
const refusing =
  (code: ErrorCode, details?: { path: string; message: string }[]): Work =>
  async () => {
    throw new ApiError(code, { details });
  };

const bug = [
  'a bug',
  async () => {
    throw new TypeError('a bug');
  },
] as const;

/** Of the user who sent it. */
const originOf = (one: IdempotentRequest | undefined) => ({
  ...someOrigin,
  by: one?.userId ?? someOrigin.by,
});
const replyUnder = (one: IdempotentRequest | undefined, work: Work) =>
  replyOnce(table, originOf(one), one, work);

test('an idempotency key belongs to organization, user and operation, and is absent unless sent', () => {
  const [one, key] = [call(), randomUUID()];
  const pkOf = (operation: string, change: object = {}, sent: string = key) =>
    toIdempotentRequest(operation, { ...one, ...change }, sent)?.recordKey.pk;
  const keys = [
    pkOf('op'),
    pkOf('other'),
    pkOf('op', { organizationId: 'o' }),
    pkOf('op', { userId: 'u' }),
    pkOf('op', {}, 'k'),
  ];
  expect(new Set(keys).size).toBe(5);
  expect(pkOf('op')).toBe(keys[0]);
  expect(toIdempotentRequest('op', one, undefined)).toBeUndefined();
});

test('an idempotency key knows the request by all that it asks for, in any order of names, for a day', () => {
  const fingerprint = (change: object) => keyedRequest(change).fingerprint;
  const plain = fingerprint({});
  const others = [
    { path: { id: 'a' } },
    { query: { a: ['1'] } },
    { body: { a: 1 } },
    { ifMatch: 1 },
  ].map(fingerprint);
  expect(new Set([plain, ...others]).size).toBe(5);
  expect(fingerprint({ userId: 'u', organizationId: 'o', now: 0 })).toBe(plain);
  const nested = (x: object) => fingerprint({ body: { list: [x] } });
  expect(nested({ a: 1, b: { c: 2, d: 3 } })).toBe(nested({ b: { d: 3, c: 2 }, a: 1 }));
  expect(nested({ a: [1, 2] })).not.toBe(nested({ a: [2, 1] }));
  expect(plain).toMatch(/^[\w-]{43}$/);
  const times = { nowSeconds: now, expiresAtSeconds: now + day };
  expect(keyedRequest({ now: now * 1000 + 999 })).toMatchObject(times);
});

test('what is written under a key is recorded with its reply for a day; a repeat is answered with it, and writes nothing', async () => {
  const [one, first, second] = [keyedRequest(), mark(), mark()];
  const told = reply(1, { status: 202, headers: { ETag: '"1"' } });
  expect(await replyUnder(one, (commit) => commit([first.write], told))).toEqual(told);
  expect(await stored(one)).toEqual({
    ...one.recordKey,
    fingerprint: one.fingerprint,
    raw: one.rawFingerprint,
    reply: JSON.stringify({ reply: told }),
    expires_at: now + day,
  });
  // It would be in its own way.
  const repeat = await replyUnder(one, writing(2, first.write, second.write));
  const headers = { ETag: '"1"', 'Idempotency-Replayed': 'true' };
  expect(repeat).toEqual({ ...told, headers });
  expect([await first.isWritten(), await second.isWritten()]).toEqual([true, false]);
});

test('another request with the key is refused, and nothing of it is stored', async () => {
  const [one, second] = [keyedRequest(), mark()];
  await replyUnder(one, writing(1));
  for (const work of [writing(2, second.write), refusing('not_found')]) {
    expect(await codeOf(replyUnder(another(one), work))).toBe('idempotency_key_reused');
  }
  expect(await second.isWritten()).toBe(false);
});

test('a record gives way to another from the very second at which its time is over', async () => {
  const one = keyedRequest();
  await replyUnder(one, writing(1));
  expect(await replyUnder(later(one, day - 1), writing(2))).toEqual(replayOf(1));
  expect(await replyUnder(later(one, day), writing(3))).toEqual(reply(3));
  expect(await replyUnder(later(one, day + 1), writing(4))).toEqual(replayOf(3));
});

test('nothing is recorded where a write is refused for a reason that passes', async () => {
  const [one, taken] = [keyedRequest(), mark()];
  await replyUnder(undefined, writing(0, taken.write));
  expect(await codeOf(replyUnder(one, writing(1, taken.write)))).toBe('write_conflict');
  expect(await stored(one)).toBeUndefined();
  expect(await replyUnder(one, writing(2))).toEqual(reply(2));
});

const details = [{ path: 'email', message: 'is taken' }];

const outcome = (one: IdempotentRequest, of: Work) => replyUnder(one, of).catch((error) => error);

test.each<[string, Work, object, object]>([
  ['an answer without a write', answering(1), reply(1), replayOf(1)],
  [
    'a refusal',
    refusing('duplicate_lead', details),
    { code: 'duplicate_lead', details, replayed: false },
    { code: 'duplicate_lead', details, replayed: true },
  ],
])(
  '%s stands once it is told, and gives way to what another try did before',
  async (_what, work, first, repeated) => {
    const [one, late] = [keyedRequest(), mark()];
    expect(await outcome(one, work)).toMatchObject(first);
    for (const other of [writing(2, late.write), answering(3), refusing('not_found')]) {
      expect(await outcome(one, other)).toMatchObject(repeated);
    }
    expect(await late.isWritten()).toBe(false);
    const overtakenBy =
      (done: IdempotentRequest): Work =>
      async (commit) => {
        await replyUnder(done, writing(2));
        return work(commit);
      };
    const [same, reused] = [keyedRequest(), keyedRequest()];
    expect(await outcome(same, overtakenBy(same))).toEqual(replayOf(2));
    const refused = await outcome(reused, overtakenBy(another(reused)));
    expect(refused).toMatchObject({ code: 'idempotency_key_reused' });
  },
);

// Written out, so that none changes unseen: what depends on what is stored, and does not pass by itself.
const recorded: ErrorCode[] = [
  ...(['invalid_request', 'not_found', 'duplicate_lead', 'stage_in_use', 'last_owner'] as const),
  ...(['limit_reached', 'precondition_failed', 'api_key_revoked', 'api_key_expired'] as const),
];

test.each([...errorCodes.map((code) => [code, refusing(code)] as const), bug])(
  'of a refusal by %s, what will not pass is recorded, and nothing else',
  async (code, refused) => {
    const one = keyedRequest();
    expect(await codeOf(replyUnder(one, refused))).toBe(code);
    expect((await stored(one)) !== undefined).toBe(recorded.includes(code as ErrorCode));
  },
);

const trace = async ({ organizationId, userId, recordName }: IdempotentRequest, leadId: string) =>
  table.get(places.recordTrace.key({ organizationId, leadId, userId, record: recordName }));
const lead = async ({ organizationId }: IdempotentRequest): Promise<string> => {
  const id = randomUUID();
  await table.transact([{ Put: { Item: { ...places.lead.key({ organizationId, leadId: id }) } } }]);
  return id;
};

test.each([true, false])('an item that is to name its record does: %s', async (namesRecord) => {
  const [one, key] = [keyedRequest(), { pk: `TEST#${randomUUID()}`, sk: 'A' }];
  await replyUnder(one, writing(1, { Put: { Item: { ...key } }, namesRecord }));
  expect(await table.get(key)).toEqual(namesRecord ? { ...key, record: one.recordName } : key);
  const parts = [{ a: 1 }, { a: 2 }];
  const batch = keyedRequest();
  await replyToParts(table, originOf(batch), batch, parts, async ({ replyToPart }) =>
    replyToPart(1, writing(1, { Put: { Item: { ...key } }, namesRecord })),
  );
  const record = `${batch.recordName}#1`;
  expect(await table.get(key)).toEqual(namesRecord ? { ...key, record } : key);
});

test('each lead that an answer tells of has a trace to the record, a week longer than the answer', async () => {
  const one = keyedRequest();
  const leadIds = [await lead(one), await lead(one)];
  await replyUnder(one, async () => ({ ...reply(1), leadIds }));
  const kept = { expires_at: one.expiresAtSeconds + 7 * day };
  for (const id of leadIds) expect(await trace(one, id)).toMatchObject(kept);
});

test('no trace is left of a lead that is gone: then there is no answer either', async () => {
  const one = keyedRequest();
  const [there, gone] = [await lead(one), randomUUID()];
  const answer: Work = async () => ({ ...reply(1), leadIds: [there, gone] });
  const error = await replyUnder(one, answer).catch((cause) => cause);
  expect(error).toBeInstanceOf(ConflictError);
  expect([await stored(one), await trace(one, there)]).toEqual([undefined, undefined]);
});

test('without a key nothing is recorded: work is done each time, and reads and writes no more', async () => {
  const one = mark();
  const counted = table.during({ deadline: Number.POSITIVE_INFINITY });
  expect(await replyOnce(counted, someOrigin, undefined, answering(1))).toEqual(reply(1));
  expect(await codeOf(replyOnce(counted, someOrigin, undefined, refusing('not_found')))).toBe(
    'not_found',
  );
  expect(await replyOnce(counted, someOrigin, undefined, writing(1))).toEqual(reply(1));
  expect(counted.units).toBe(0);
  expect(await replyOnce(counted, someOrigin, undefined, writing(1, one.write))).toEqual(reply(1));
  expect(await one.isWritten()).toBe(true);
  expect(await codeOf(replyUnder(undefined, writing(1, one.write)))).toBe('write_conflict');
  for (const n of [1, 2]) {
    expect((await batch(undefined, answering(n))).body).toEqual([{ n }]);
  }
});

const parts = [{ a: 1 }, { a: 2 }, { a: 3 }];

/** Does the work of each part, and answers what became of it. */
const all =
  (...works: Work[]) =>
  async ({ replyToPart }: PartReplies<WriteAction>): Promise<Reply> => {
    const outcomes = works.map(async (work, i) => {
      try {
        return (await replyToPart(i, work)).body;
      } catch (error) {
        return (error as ApiError).code;
      }
    });
    return { body: await Promise.all(outcomes) };
  };

const batch = (one: IdempotentRequest | undefined, ...works: Work[]) =>
  replyToParts(table, originOf(one), one, parts, all(...works));

test('a batch answers each part once, goes on where it was, and says when there was nothing left to do', async () => {
  const one = keyedRequest();
  await batch(one, writing(1), refusing('unavailable'), refusing('write_conflict'));
  const second = await batch(one, writing(9), writing(2), refusing('not_found'));
  expect(second).toEqual({ body: [{ n: 1 }, { n: 2 }, 'not_found'] });
  const never = refusing('internal');
  const headers = { 'Idempotency-Replayed': 'true' };
  expect(await batch(one, never, never, never)).toEqual({ ...second, headers });
});

test('a batch ends with all of its parts a day after its first try, and takes no answer from that day', async () => {
  const one = keyedRequest();
  await batch(one, answering(1), refusing('unavailable'), answering(3));
  await batch(later(one, day - 1), answering(0), answering(2), answering(0));
  const next = later(one, day);
  await batch(next, answering(4), refusing('unavailable'), answering(6));
  const repeated = await batch(next, answering(0), answering(5), answering(0));
  expect(repeated).toEqual({ body: [{ n: 4 }, { n: 5 }, { n: 6 }] });
});

test('a batch records no refusal over what another try of it has done', async () => {
  const one = keyedRequest();
  const overtaken: Work = async () => {
    await batch(one, writing(1), answering(2), answering(3));
    throw new ApiError('invalid_request');
  };
  expect((await batch(one, overtaken, answering(8), answering(9))).body).toEqual([
    { n: 1 },
    // Of these, either try may have been the first.
    expect.toBeOneOf([{ n: 2 }, { n: 8 }]),
    expect.toBeOneOf([{ n: 3 }, { n: 9 }]),
  ]);
  const repeated = await batch(one, answering(0), answering(0), answering(0));
  expect((repeated.body as unknown[])[0]).toEqual({ n: 1 });
});

test('a batch with the key of another is refused before any of it is done', async () => {
  const [one, late] = [keyedRequest(), mark()];
  await batch(one, answering(1), answering(2), answering(3));
  const other = another(one);
  expect(await codeOf(batch(other, writing(1, late.write)))).toBe('idempotency_key_reused');
  expect(await late.isWritten()).toBe(false);
});

test('a batch that can’t be begun is told why, and does nothing', async () => {
  const [one, late] = [keyedRequest(), mark()];
  const out = table.during({ deadline: Number.POSITIVE_INFINITY });
  out.transact = async () => {
    throw new ApiError('unavailable');
  };
  const parts = all(writing(1, late.write));
  expect(await codeOf(replyToParts(out, originOf(one), one, [{}], parts))).toBe('unavailable');
  expect(await late.isWritten()).toBe(false);
  expect(await codeOf(replyToParts(table, originOf(one), one, [{}], parts))).toBe('done');
  expect(await late.isWritten()).toBe(true);
});

/** A version whose schema adds something to the body, as a new field or other words for a problem do. */
const version = (added: object, change: object) => {
  const { request } = echo();
  const body = z.pipe(
    request.body as z.ZodMiniType<object>,
    z.transform((sent) => ({ ...sent, ...added })),
  );
  return serve({ ...echo({ request: { ...request, body } }), ...change } as AnyOperation);
};
const batchOperation = {
  parts: ({ body }: { body: unknown }) => [body],
  handle: ({ body }: { body: unknown }, _data: unknown, _table: unknown, replies: unknown) =>
    (replies as PartReplies<WriteAction>).replyToPart(0, async () => ({ body })),
};

test.each<[string, object]>([
  ['request', {}],
  ['batch', batchOperation],
])(
  'a repeat of a %s that another version of the service gets is answered as the first was, and another one is not',
  async (_what, change) => {
    const organization = await Organization.make();
    const headers = { 'Idempotency-Key': randomUUID() };
    const send = (handler: HttpHandler, sent: object) =>
      run(handler, echoed(organization, { headers, body: JSON.stringify(sent) }));
    const [before, after] = [version({}, change), version({ more: null }, change)];
    const first = await send(before, { value: { a: 1, b: 2 } });
    const repeat = await send(after, { value: { b: 2, a: 1 } });
    expect([repeat.status, repeat.text]).toEqual([201, first.text]);
    expect(repeat.headers['Idempotency-Replayed']).toBe('true');
    const other = await send(after, { value: { a: 1, b: 3 } });
    expect(other.body.error.code).toBe('idempotency_key_reused');
  },
);
