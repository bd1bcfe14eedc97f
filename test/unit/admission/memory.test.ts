import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { admit } from '../../../lib/admission/admission.ts';
import { ApiKeyUses } from '../../../lib/admission/api-key-uses.ts';
import { Memory } from '../../../lib/admission/memory.ts';
import { openRequest } from '../../../lib/admission/open-request.ts';
import type { PresentedKey } from '../../../lib/operations/presented-key.ts';
import { apiKeyUseKind } from '../../../lib/organizations/api-keys/stored-api-key.ts';
import { fakeReads } from '../../support/fake-table.ts';
import { echo } from '../echo.ts';

// How many an environment remembers: the last 1,000, so that its memory stays small.

let reads: number;
let memory: Memory;
/** What the counter of every organization says. */
let clearAt: number;

afterEach(() => {
  vi.useRealTimers();
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  reads = 0;
  clearAt = 0;
  memory = new Memory();
});

const operation = echo({
  request: {},
  read: async () => {
    reads++;
  },
});

const apiKeyItem = {
  organization_id: randomUUID(),
  key_role: 'admin',
  name: 'Robot',
  created_by: randomUUID(),
  created_at: '2026-05-01T10:00:00Z',
  version: 1,
  secrets: [{ digest: 'd', created_at: '2026-05-01T10:00:00Z' }],
};
const table = {
  ...fakeReads(({ pk, sk }) => ({
    pk,
    sk,
    ...(pk.startsWith('MEMBERS#') && { role: 'owner', version: 1 }),
    ...(pk.startsWith('KEY#') && apiKeyItem),
    ...(pk.startsWith('REQUESTS#') && { clear_at: clearAt, per_second: 50 }),
  })),
  unitsByKind: { read: 0, written: 0 },
  update: async () => true,
};

/** `atOnce`: what the operation reads is read at once, and not only after the caller’s role. */
const admitOf = async (
  organizationId: string | undefined,
  userId: string,
  apiKey?: PresentedKey,
) => {
  const before = reads;
  const request = openRequest({ requestId: 'r', startedAt: Date.now() }, table as never, memory);
  const input = { isLarge: false, read: () => ({}) };
  const admitting = admit(operation, { userId, apiKey }, organizationId, input, request);
  const atOnce = reads > before;
  const { call } = await admitting;
  expect(reads).toBe(before + 1);
  return { atOnce, call };
};
const isReadAtOnce = async (organizationId: string, userId: string): Promise<boolean> =>
  (await admitOf(organizationId, userId)).atOnce;

test.each([
  [999, true],
  [1000, false],
])('a caller is remembered after %i others: %s', async (others, expected) => {
  const organizationId = randomUUID();
  expect(await isReadAtOnce(organizationId, 'first')).toBe(false);
  expect(await isReadAtOnce(organizationId, 'first')).toBe(true);
  for (let i = 0; i < others; i++) await isReadAtOnce(organizationId, `user-${i}`);
  expect(await isReadAtOnce(organizationId, 'first')).toBe(expected);
});

test.each([
  [999, true],
  [1000, false],
])('the organization of an API key is remembered after %i others: %s', async (others, expected) => {
  const isKnown = async (id: string) => {
    const apiKey = { kind: 'organization', id, digest: 'd' } as const;
    return (await admitOf(undefined, id, apiKey)).atOnce;
  };
  expect(await isKnown('first')).toBe(false);
  expect(await isKnown('first')).toBe(true);
  for (let i = 0; i < others; i++) await isKnown(`key-${i}`);
  expect(await isKnown('first')).toBe(expected);
});

test.each([
  [999, false],
  [1000, true],
])(
  'an organization that had nothing left is forgotten after %i others: %s',
  async (others, expected) => {
    // Nothing is left of the 100 requests at once, but none is refused yet.
    clearAt = Date.now() + 3000;
    const { call } = await admitOf('first', 'user');
    for (let i = 0; i < others; i++) await admitOf(`organization-${i}`, 'user');
    // The caller is known again, whatever else was forgotten.
    await call.assertAllowed();
    expect(await isReadAtOnce('first', 'user')).toBe(expected);
  },
);

test.each([
  [999, 0],
  [1000, 1],
])(
  'the use of an API key is noted once a day, and after %i others so many times more: %i',
  async (others, expected) => {
    const uses = new ApiKeyUses();
    const now = Date.parse('2026-05-01T10:00:00Z');
    let writes = 0;
    const counting = {
      update: async () => {
        writes++;
        return true;
      },
    } as never;
    const note = (keyId: string) =>
      uses.note(counting, apiKeyUseKind.key({ organizationId: 'o', keyId }), now);
    await note('first');
    await note('first');
    expect(writes).toBe(1);
    for (let i = 0; i < others; i++) await note(`key-${i}`);
    writes = 0;
    await note('first');
    expect(writes).toBe(expected);
  },
);
