import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test, vi } from 'vitest';
import { handler as createApiKey } from '../../../functions/keys/create-api-key.ts';
import { handler as revokeApiKey } from '../../../functions/keys/revoke-api-key.ts';
import { handler as rotateApiKey } from '../../../functions/keys/rotate-api-key.ts';
import { serve } from '../../../lib/handlers/http/serve.ts';
import { TableClient } from '../../../lib/table/client.ts';
import { newApiKey, parseApiKey } from '../../../lib/tokens/api-key.ts';
import { echo } from '../echo.ts';
import { type Answer, Organization, type Request, run, surroundings } from '../support.ts';

// An API key of an organization needs no X-Organization-Id.

let organization: Organization;
let other: Organization;

beforeAll(async () => {
  [organization, other] = [await Organization.make(), await Organization.make()];
});

const codeOf = ({ status, body }: Answer): string | number => body?.error?.code ?? status;

const makeKey = async ({ id, key }: { id?: string; key?: string } = {}) => {
  const handler = id ? rotateApiKey : createApiKey;
  const { body } = await run(handler, {
    path: id ? { key_id: id } : undefined,
    headers: organization.headers({ 'Content-Type': 'application/json' }),
    body: JSON.stringify(
      id ? { previous_expires_in_seconds: 0 } : { name: 'Robot', role: 'admin' },
    ),
  } as Request);
  if (!body.key) throw new Error(`no key in place of ${key}: ${JSON.stringify(body)}`);
  return body as { id: string; key: string };
};

const send = (credential: string, handler = serve(echo()), headers: Request['headers'] = {}) =>
  run(handler, {
    path: { id: 'a' },
    body: '{"value":1}',
    headers: {
      Authorization: `Bearer ${credential}`,
      'Content-Type': 'application/json',
      ...headers,
    },
  });

const naming = (id: string) => ({ 'X-Organization-Id': id });

/** Does something, and tells the partitions that were read meanwhile, in their order. */
const readDuring = async (work: () => Promise<unknown>): Promise<string[]> => {
  const read: string[] = [];
  const original = TableClient.prototype.get;
  const get = vi.spyOn(TableClient.prototype, 'get').mockImplementation(async function (
    this: TableClient,
    ...all
  ) {
    const name = all[0].pk.split('#')[0]!;
    read.push(`${name} …`);
    const item = await original.apply(this, all);
    read.push(name);
    return item;
  });
  try {
    await work();
  } finally {
    get.mockRestore();
  }
  return read;
};

test('a key alone acts in its organization, and the log and the limit know it', async () => {
  const { id, key } = await makeKey();
  const { status, body, headers, log } = await send(key);
  expect([status, body.organizationId, body.userId]).toEqual([201, organization.id, id]);
  expect(log[0]?.line).toMatchObject({ organization_id: organization.id, user_id: id });
  expect(headers.RateLimit).toBeTypeOf('string');
});

test('the first time, an environment reads the key before all else; then it reads all at once', async () => {
  const { key } = await makeKey();
  const handler = serve(echo());
  const first = await readDuring(() => send(key, handler));
  expect(first.slice(0, 2)).toEqual(['KEY …', 'KEY']);
  expect(first.slice(2)).toContain('MEMBERS …');
  const second = await readDuring(() => send(key, handler));
  expect(second.slice(0, 3).toSorted()).toEqual(['KEY …', 'MEMBERS …', 'REQUESTS …']);
});

test('a key that an environment knows is refused at once when it is rotated or revoked', async () => {
  const { id, key } = await makeKey();
  const handler = serve(echo());
  expect(codeOf(await send(key, handler))).toBe(201);
  const { key: newKey } = await makeKey({ id, key });
  expect(codeOf(await send(key, handler))).toBe('unauthenticated');
  expect(codeOf(await send(newKey, handler))).toBe(201);
  const path = { key_id: id };
  expect((await run(revokeApiKey, { path, headers: organization.headers() })).status).toBe(204);
  for (const _ of [1, 2]) expect(codeOf(await send(newKey, handler))).toBe('unauthenticated');
});

test('a made-up key costs one read, and is answered alike with any organization and none', async () => {
  const { key } = await makeKey();
  const handler = serve(echo());
  expect(codeOf(await send(key, handler))).toBe(201);
  const { id } = parseApiKey(key)!;
  const answers = new Set<string>();
  for (const madeUp of [newApiKey('organization', randomUUID()), newApiKey('organization', id)]) {
    for (const headers of [{}, naming(organization.id), naming(randomUUID())]) {
      const { status, body, log } = await send(madeUp.text, handler, headers);
      expect([status, log[0]?.line.capacity_units]).toEqual([401, 1]);
      answers.add(JSON.stringify({ ...body.error, request_id: undefined }));
    }
  }
  expect(answers.size).toBe(1);
});

test('another organization in the header is 401, however well the key is known', async () => {
  const { key } = await makeKey();
  const handler = serve(echo());
  const ask = async (headers: Request['headers']) => codeOf(await send(key, handler, headers));
  expect(await ask({})).toBe(201);
  for (const _ of [1, 2]) {
    expect(await ask(naming(other.id))).toBe('unauthenticated');
    expect(await ask(naming(organization.id))).toBe(201);
  }
  expect(await ask({})).toBe(201);
});

test('an empty header is no missing one', async () => {
  const { key } = await makeKey();
  const { status, body } = await send(key, undefined, naming(''));
  expect([status, body.error.details[0].path]).toEqual([400, 'X-Organization-Id']);
});

test('tokens and platform keys need the header', async () => {
  for (const credential of [organization.tokens.owner, surroundings.platformKey]) {
    const { status, body } = await send(credential);
    const details = [{ path: 'X-Organization-Id', message: 'is required' }];
    expect([status, body.error.details]).toEqual([400, details]);
    expect(codeOf(await send(credential, undefined, naming(organization.id)))).toBe(201);
  }
});

test('a request with the header, and its repeat without, are the same', async () => {
  const { key } = await makeKey();
  const keyed = { 'Idempotency-Key': randomUUID() };
  const first = await send(key, undefined, { ...keyed, ...naming(organization.id) });
  const again = await send(key, undefined, keyed);
  expect([again.body, again.headers['Idempotency-Replayed']]).toEqual([first.body, 'true']);
});
