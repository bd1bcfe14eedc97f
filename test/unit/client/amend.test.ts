import { expect, test } from 'vitest';
import {
  amend,
  type Outcome,
  type Sent,
  settleAll,
} from '../../../packages/client/src/cli/amend.ts';
import { fields } from '../../../packages/client/src/cli/fields.ts';

const refused = (...paths: string[]): Outcome => ({
  status: 400,
  error: {
    code: 'invalid_request',
    message: '',
    details: paths.map((path) => ({ path, message: 'is wrong' })),
  },
});
const row = (lead: object, more: object = {}): Sent => ({ line: 2, lead, leftOut: [], ...more });

test.each<[string, object, string[], object, string[]]>([
  [
    'an email',
    { contact_name: 'A', email: 'x' },
    ['email'],
    { contact_name: 'A' },
    ['email “x” is wrong'],
  ],
  ['a tag', { tags: ['a', 'b'] }, ['tags.0', 'tags.1'], {}, ['tags “a; b” is wrong']],
  [
    'one custom field',
    { fields: { a: 1, b: 2 } },
    ['fields.a'],
    { fields: { b: 2 } },
    ['fields.a “1” is wrong'],
  ],
  [
    'the last custom field',
    { stage: 's', fields: { a: 1 } },
    ['fields.a'],
    { stage: 's' },
    ['fields.a “1” is wrong'],
  ],
  [
    'all custom fields',
    { fields: { a: 1, b: 2 } },
    ['fields'],
    {},
    ['fields.a “1” is wrong', 'fields.b “2” is wrong'],
  ],
  [
    'an owner and a stage',
    { owner_id: 'o', stage: 's' },
    ['owner_id', 'stage'],
    {},
    ['owner_id “o” is wrong', 'stage “s” is wrong'],
  ],
])('a row that is refused for %s is sent without it', (_, lead, paths, rest, told) => {
  const amended = amend(row(lead), refused(...paths), undefined);
  expect(amended?.lead).toEqual(rest);
  expect(amended?.leftOut?.map(({ field, message }) => `${field} ${message}`)).toEqual(told);
});

test('a new lead without a name gets one, and a name that is too long its beginning', () => {
  expect(
    amend(row({ email: 'a@b.co' }, { name: 'a@b.co' }), refused('contact_name'), 'email')?.lead,
  ).toEqual({
    email: 'a@b.co',
    contact_name: 'a@b.co',
  });
  const cut = amend(row({ contact_name: '👍'.repeat(201) }), refused('contact_name'), undefined);
  expect([cut?.lead, cut?.leftOut?.length]).toEqual([{ contact_name: '👍'.repeat(200) }, 1]);
});

test.each<[string, Sent, Outcome]>([
  ['of NDJSON', { line: 2, lead: { email: 'x' } }, refused('email')],
  ['without a pipeline', row({ email: 'x' }), refused('pipeline_id', 'email')],
  ['without what it is found by', row({ external_id: 'x' }), refused('external_id')],
  ['without any name', row({ email: 'x' }), refused('contact_name')],
  ['with a name that is wrong', row({ contact_name: 'x' }, { name: 'y' }), refused('contact_name')],
  ['refused for what it does not have', row({ contact_name: 'x' }), refused('email')],
  [
    'of another lead',
    row({ email: 'x' }),
    {
      status: 409,
      error: { code: 'duplicate_lead', message: '', details: [{ path: 'email', message: '' }] },
    },
  ],
  ['that is in', row({ email: 'x' }), { status: 201 }],
])('a row %s stays as it is', (_, sent, outcome) => {
  expect(amend(sent, outcome, 'external_id')).toBeUndefined();
});

test('only rows that were refused are sent again, until each is settled', async () => {
  const asked: object[][] = [];
  const rows = [row({ email: 'x', stage: 's' }), row({ contact_name: 'B' }), row({ email: 'y' })];
  const settled = await settleAll(rows, undefined, async (leads, round) => {
    asked.push(leads);
    expect(round).toBe(asked.length - 1);
    return leads.map((lead) => {
      if ('email' in lead) return refused('email');
      return 'stage' in lead ? refused('stage') : { status: 201 };
    });
  });
  expect(asked).toEqual([
    [{ email: 'x', stage: 's' }, { contact_name: 'B' }, { email: 'y' }],
    [{ stage: 's' }, {}],
    [{}],
  ]);
  expect(settled.map(({ round, outcome }) => [round, outcome.status])).toEqual([
    [2, 201],
    [0, 201],
    [1, 201],
  ]);
});

test('a service that refuses for ever ends the rounds', async () => {
  let rounds = 0;
  const values = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, i]));
  const [one] = await settleAll([row({ fields: values })], undefined, async () => [
    refused(`fields.f${rounds++}`),
  ]);
  expect([rounds, one?.outcome.status]).toEqual([fields.length + 3, 400]);
});
