import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Change } from '../../../lib/changes/change.ts';
import { issueDetails } from '../../../lib/schema/issues.ts';
import { ConflictError } from '../../../lib/table/retry.ts';
import { changeLatestWebhook } from '../../../lib/webhooks/change-latest-webhook.ts';
import { newProgress } from '../../../lib/webhooks/delivery/delivery-rules.ts';
import { progressAttributes } from '../../../lib/webhooks/delivery/progress-item.ts';
import { verdictOf } from '../../../lib/webhooks/delivery/verdict.ts';
import { changeMessage, testMessage } from '../../../lib/webhooks/endpoint/message.ts';
import { secretMadeAt } from '../../../lib/webhooks/endpoint/secrets.ts';
import { readWebhooks, type StoredWebhook } from '../../../lib/webhooks/stored-webhook.ts';
import {
  newWebhook,
  toWebhook,
  toWebhookUpdate,
  webhookInput,
  webhookPatch,
} from '../../../lib/webhooks/webhook.ts';
import { fakeQueries } from '../../support/fake-table.ts';

const now = Date.parse('2026-11-22T00:00:00Z');
const [organization, id, user] = [
  '0cb252aa-aeea-5e6d-91d6-71543bd1ece2',
  '01a1fc01-04c2-7516-b29c-4d6e78ac2694',
  '01a1fc01-04c2-7516-b29c-4d6e78ac2695',
];
const url = 'https://hooks.example.com/';
const secret = { value: 'whsec_AA==', created_at: new Date(now).toISOString() };

/** What the client is told to be wrong with a body. */
const wrongIn = (schema: z.ZodMiniType, body: object) => {
  const { error } = z.safeParse(schema, body);
  return error && issueDetails(error).map(({ path, message }) => [path, message]);
};

describe('the settings', () => {
  test.each<[object]>([
    [{ url }],
    [{ url, types: null, description: null, after: 0 }],
    [{ url, types: ['lead.created', 'stars.low'], description: 'CRM', after: 12 }],
  ])('%j are taken', (body) => {
    expect(wrongIn(webhookInput, body)).toBeUndefined();
  });

  test.each<[object, string, RegExp]>([
    [{}, 'url', /./],
    [{ url: 'http://hooks.example.com/' }, 'url', /must be an https address/],
    [{ url, types: [] }, 'types', /./],
    [{ url, types: ['lead.sold'] }, 'types.0', /./],
    [{ url, types: ['lead.created', 'lead.created'] }, 'types', /must have no doubles/],
    [{ url, after: -1 }, 'after', /./],
    [{ url, after: 0.5 }, 'after', /./],
    [{ url, status: 'active' }, 'status', /./],
  ])('%j are refused', (body, path, message) => {
    expect(wrongIn(webhookInput, body)).toEqual([[path, expect.stringMatching(message)]]);
  });

  test('an address has 2,000 characters at most', () => {
    const of = (length: number) => ({ url: url.padEnd(length, 'a') });
    expect(wrongIn(webhookInput, of(2000))).toBeUndefined();
    expect(wrongIn(webhookInput, of(2001))).toEqual([
      ['url', expect.stringContaining('at most 2000')],
    ]);
  });

  test('a patch takes each alone, and a status that its owner may set', () => {
    const takes = (body: object) => wrongIn(webhookPatch, body) === undefined;
    const patches = [{}, { url }, { types: null }, { status: 'active' }, { status: 'disabled' }];
    expect(patches.filter(takes)).toEqual(patches);
    expect([{ status: 'paused' }, { after: 1 }, { url: null }].filter(takes)).toEqual([]);
  });
});

const made = (
  input: Parameters<typeof newWebhook>[2]['input'] = {
    url,
    types: ['lead.created'],
    description: 'CRM',
  },
): StoredWebhook =>
  newWebhook(organization, id, {
    input,
    userId: user,
    checkpoint: 5,
    feedId: 'feed',
    secret,
    now,
  });

test('a new webhook is told as it was asked for, and waits for nothing', () => {
  const at = new Date(now).toISOString();
  const all = {
    id,
    url,
    types: ['lead.created'],
    description: 'CRM',
    status: 'active',
    checkpoint: 5,
    failures: 0,
    waiting: 0,
    given_up: 0,
    next_attempt_at: null,
    created_by: user,
    created_at: at,
    updated_at: at,
  };
  expect(Object.entries(toWebhook(made(), now))).toEqual(Object.entries(all));
  expect(toWebhook(made({ url }), now)).toEqual({ ...all, types: null, description: null });
});

test('what a webhook waits for is counted, and told with the time of the next attempt', () => {
  const waiting = [
    { sequence: 1, attempts: 2, due: now + 5000 },
    { sequence: 2, attempts: 1, due: now + 1000 },
  ];
  const progress = { ...newProgress(5), waiting, failures: 3, givenUp: 4 };
  const item = { ...made(), ...progressAttributes(progress) };
  expect(toWebhook(item, now)).toMatchObject({
    waiting: 2,
    failures: 3,
    given_up: 4,
    next_attempt_at: new Date(now + 1000).toISOString(),
  });
});

test('a patch removes what is null, and leaves what it does not name', () => {
  const patch = { types: null, description: 'Other' };
  const update = toWebhookUpdate(made(), z.parse(webhookPatch, patch), now);
  expect(update).toEqual({ set: { types: undefined, description: 'Other' }, now });
});

describe('a change of the latest webhook', () => {
  const call = (ifMatch?: number[]) =>
    ({ organizationId: organization, path: { webhook_id: id }, ifMatch }) as never;
  const reading = (item: StoredWebhook | undefined) =>
    ({ deadline: Date.now() + 9500, get: async () => item }) as never;
  const version = async ({ version }: StoredWebhook) => version;

  test('is made of what was read, where it is there and of the version that is meant', async () => {
    expect(await changeLatestWebhook(call([1]), made(), reading(undefined), version)).toBe(1);
    for (const [item, ifMatch, code] of [
      [undefined, undefined, 'not_found'],
      [made(), [2], 'precondition_failed'],
    ] as const) {
      const changed = changeLatestWebhook(
        call(ifMatch && [...ifMatch]),
        item,
        reading(undefined),
        version,
      );
      await expect(changed).rejects.toMatchObject({ code });
    }
  });

  test('is made of what another one made of it meanwhile', async () => {
    const seen: unknown[] = [];
    const change = async (item: StoredWebhook) => {
      seen.push(item.version);
      if (seen.length === 1) throw new ConflictError();
      return item.version;
    };
    const latest = { ...made(), version: 2 };
    expect(await changeLatestWebhook(call(), made(), reading(latest), change)).toBe(2);
    expect(seen).toEqual([1, 2]);
  });
});

test('all of an organization’s webhooks are read at once, as they are now', async () => {
  const asked: unknown[] = [];
  const table = fakeQueries((input) => {
    asked.push(input);
    return { items: [{ ...made() }], examined: 1, last: undefined };
  });
  expect(await readWebhooks(table, organization)).toEqual([made()]);
  const values = { ':pk': `WEBHOOKS#${organization}` };
  expect(asked).toMatchObject([{ limit: 10, consistent: true, values }]);
});

test.each([
  [199, { kind: 'failed' }],
  [200, { kind: 'delivered' }],
  [204, { kind: 'delivered' }],
  [299, { kind: 'delivered' }],
  [300, { kind: 'failed' }],
  [409, { kind: 'failed' }],
  [410, { kind: 'gone' }],
  [411, { kind: 'failed' }],
  [null, { kind: 'failed' }],
])('an answer of %s is taken as %j', (status, verdict) => {
  expect(verdictOf({ status, failure: null })).toEqual(verdict);
});

test('what an endpoint asks for is waited', () => {
  const verdict = { kind: 'failed', retryAfterMs: 7000 };
  expect(verdictOf({ status: 429, failure: null, retryAfterMs: 7000 })).toEqual(verdict);
});

describe('a message', () => {
  const told = (fields: object, lane = 'l') => ({
    change: { event_id: 'e', sequence: 3, ...fields } as Change,
    lane,
  });

  test('is the change, in its lane', () => {
    const ofLead = told({ type: 'lead.updated', lead_id: 'l' });
    expect(changeMessage(ofLead, now)).toEqual({
      id: 'e',
      type: 'lead.updated',
      sequence: 3,
      body: JSON.stringify(ofLead.change),
      readAt: now,
      lane: 'l',
    });
  });

  test('of a webhook says which one that is', () => {
    const ofWebhook = told({ type: 'webhook.paused', webhook_id: 'w' }, 'of w');
    expect(changeMessage(ofWebhook, now)).toMatchObject({ lane: 'of w', ofWebhook: 'w' });
  });

  test('of a test says when it was asked for, and has a lane of its own', () => {
    const { body, ...rest } = testMessage(organization, id, 'test', secret.created_at);
    expect(rest).toEqual({ id: 'test', type: 'webhook.test', sequence: null, lane: 'test' });
    expect(JSON.parse(body)).toEqual({
      event_id: 'test',
      type: 'webhook.test',
      at: secret.created_at,
      organization_id: organization,
      webhook_id: id,
    });
  });
});

test('a secret is found by when it was made, while it is there', () => {
  const { created_at } = secret;
  const other = { ...secret, value: 'whsec_BB==', created_at: '2026-11-23T00:00:00.000Z' };
  expect(secretMadeAt({ secrets: [other, secret] }, created_at)).toBe('whsec_AA==');
  expect(secretMadeAt({ secrets: [other] }, created_at)).toBeNull();
  expect(secretMadeAt(undefined, created_at)).toBeNull();
});
