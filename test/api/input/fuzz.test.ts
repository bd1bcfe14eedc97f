import fc from 'fast-check';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import * as z from 'zod/mini';
import { leadInput, leadPatch } from '../../../lib/leads/lead.ts';
import { matchFields } from '../../../lib/leads/upsert-schema.ts';
import type { AnyOperation } from '../../../lib/operations/kinds/operation.ts';
import { isPlatformPermission } from '../../../lib/operations/permissions.ts';
import { call, routed } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { seed } from '../../support/random.ts';
import { some, times } from '../../support/some.ts';
import { type Json, places, replaced } from './requests.ts';
import { inputsOf, type Known } from './schemas.ts';

// Requests made of the operations' own schemas: as they take them, with one thing wrong, and of any
// JSON. `call` holds every answer against what its operation declares, and none is a 5xx. `npm test` tries some operations
// by chance. A run is repeated with its SEED; `npx vitest run test/api/input/fuzz -t <operation>` runs one of them.

console.info(`SEED=${seed}`);
const numRuns = times(4, 50);

let organization: Organization | undefined;
let known: Known;
const answered = new Map<number, number>();

/** What an operation may name. Made anew where one may have deleted it. */
const makeKnown = async (organization: Organization) => {
  const lead = await organization.lead({
    tags: ['hot'],
    email: 'a@example.com',
    external_id: 'crm-1',
  });
  const url = 'https://hooks.example.com/leads';
  const webhook = await organization.post('/webhooks', { url, types: ['stars.depleted'] });
  expect(webhook.status).toBe(201);
  const { body } = await organization.get('/leads?limit=1');
  const note = await organization.post(`/leads/${lead.id}/notes`, { text: 'A note.' });
  const apiKey = await organization.post('/keys', { name: 'Form', role: 'agent' });
  const field = { key: 'source', label: 'Source', type: 'text', filterable: true };
  await organization.post('/fields', field);
  return {
    lead_id: [lead.id],
    note_id: [note.body.id],
    key: ['source'],
    key_id: [apiKey.body.id],
    event_id: ['one', 'two'],
    refunds: ['one'],
    hold_id: ['two', 'three'],
    id: [lead.id],
    webhook_id: [webhook.body.id],
    url: [url],
    after: ['0', '1'],
    q: ['maria', 'mar sil', 'padaria'],
    external_id: Array.from({ length: 40 }, (_, i) => `crm-${i + 1}`),
    pipeline_id: organization.pipelines.map(({ id }) => id),
    // No owner, so that the caller stays one.
    user_id: [organization.users.agent, organization.users.viewer],
    owner_id: [organization.users.agent],
    stage: ['new', 'signed', 'declined'],
    default_stage: ['new', 'signed'],
    tag: ['hot', 'cold'],
    tags: ['hot', 'cold'],
    email: ['a@example.com', ...Array.from({ length: 40 }, (_, i) => `B${i}@example.com`)],
    company_name: ['Padaria Silva'],
    phone: ['+5511987654321'],
    contact_name: ['Maria'],
    name: ['Sales', 'new', 'won'],
    limit: ['1', '2', '200'],
    cursor: [body.next_cursor ?? 'AAAA'],
    created_from: [
      '2020-01-01T00:00:00Z',
      '0000-01-01T00:00:00+23:59',
      '2024-02-29T23:59:59.9999999Z',
    ],
    created_to: [
      '9999-12-31T23:59:59-23:59',
      '2020-01-01T00:00:00Z',
      '2030-01-01T00:00:00.000001Z',
    ],
  };
};

beforeEach(async () => {
  if (organization) return;
  organization = await provision();
  known = await makeKnown(organization);
});

afterAll(() => {
  console.info(`answers by status: ${JSON.stringify(Object.fromEntries([...answered].sort()))}`);
});

interface Request {
  path: Record<string, string>;
  query: [string, string][];
  body: string | undefined;
}

const send = async (
  { method, path, permission }: AnyOperation,
  request: Request,
): Promise<void> => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(request.path[name] ?? ''),
  );
  const ask = () =>
    call(method, `${filled}?${new URLSearchParams(request.query)}`, {
      headers: {
        ...organization!.headers(),
        ...(isPlatformPermission(permission) && {
          authorization: `Bearer ${inject('service').platformKey}`,
        }),
        'content-type': 'application/json',
        ...keyed(request),
      },
      ...(request.body !== undefined && { body: request.body }),
    });
  let answer = await ask();
  // On a busy machine a function may start for longer than it may run. What hangs by itself does so again.
  for (let i = 0; i < 5 && [503, 504].includes(answer.status); i++) answer = await ask();
  const { status, text } = answer;
  answered.set(status, (answered.get(status) ?? 0) + 1);
  expect([status < 500, text.slice(0, 500)]).toEqual([true, text.slice(0, 500)]);
};

/** Some with a key, and some of these with one that was used. */
const keyed = ({ body = '' }: Request): Record<string, string> =>
  body.length % 2
    ? {}
    : { 'idempotency-key': `00000000-0000-4000-8000-${String(body.length).padStart(12, '0')}` };

const anyJson = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()));

/** One place of a value replaced by any JSON. */
const mutated = (value: Json, at: number, by: unknown): Json => {
  const all = places(value);
  return replaced(value, all[at % all.length]!, by);
};

const oneWrong = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(values, fc.nat(), anyJson).map(([value, at, by]) => mutated(value, at, by));

/** A well-formed segment: what URLs can't hold, `encodeURIComponent` does not take. */
const segment = (value: unknown): string => String(value).toWellFormed() || 'x';

/** The leads of a batch are checked one by one, so that its schema does not say what they are. */
const batches: Record<string, z.ZodMiniType> = {
  createLeads: z.union([
    z.strictObject({ leads: z.array(leadInput) }),
    z.strictObject({ ...matchFields, leads: z.array(leadPatch) }),
  ]),
  updateLeads: z.strictObject({
    leads: z.array(z.strictObject({ id: z.uuid(), patch: leadPatch })),
  }),
};

const requestsOf = ({ id, path, request }: AnyOperation): fc.Arbitrary<Request> => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const ids = names.map((name) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...(known[name] ?? [])) },
      { weight: 1, arbitrary: fc.uuid() },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1 }).map(segment) },
    ),
  );
  const mixed = (schema: Json) => {
    const values = inputsOf(schema, known);
    return fc.oneof({ weight: 3, arbitrary: values }, oneWrong(values), anyJson);
  };
  const queries = request.query ? mixed(request.query) : fc.constant({});
  const bodySchema = batches[id] ?? request.body;
  const bodies = bodySchema
    ? fc.oneof(
        { weight: 9, arbitrary: mixed(bodySchema).map((v) => JSON.stringify(v)) },
        fc.string(),
      )
    : fc.constant(undefined);
  return fc.tuple(fc.tuple(...ids), queries, bodies).map(([segments, query, body]) => ({
    path: Object.fromEntries(names.map((name, i) => [name, segments[i] ?? ''])),
    query: Object.entries(query ?? {}).flatMap(([name, value]) =>
      [value]
        .flat()
        .map((one): [string, string] => [
          name,
          typeof one === 'string' ? one : JSON.stringify(one),
        ]),
    ),
    body,
  }));
};

const chosen = some(routed, 12, 'fuzz');

test.each(chosen)('$id answers whatever it is sent as it declares', async (operation) => {
  const property = fc.asyncProperty(requestsOf(operation), (one) => send(operation, one));
  await fc.assert(property, { seed, numRuns, endOnFailure: true });
  if (/^(delete|erase|merge)/.test(operation.id)) organization = undefined;
});

test('what is made of the schemas is taken often enough to say something', {
  tags: ['long'],
}, () => {
  const taken = [200, 201, 204].reduce((sum, status) => sum + (answered.get(status) ?? 0), 0);
  expect(taken).toBeGreaterThan(routed.length * numRuns * 0.1);
});
