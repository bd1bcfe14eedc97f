import { expect, test } from 'vitest';
import type { Outcome, Settled } from '../../../packages/client/src/cli/amend.ts';
import type { Batch } from '../../../packages/client/src/cli/batches.ts';
import { doneOf } from '../../../packages/client/src/cli/import.ts';

// What is told of each row of a batch that was answered.

const settledOf = (sent: Partial<Settled['sent']>, outcome: Outcome, round = 0): Settled => ({
  sent: { line: 2, lead: {}, ...sent },
  outcome,
  round,
});
const refusedFor = (code: string, details?: { path: string; message: string }[]): Outcome => ({
  status: 400,
  error: { code, message: 'No.', ...(details && { details }) },
});
const whole: Batch = { batch: 7, rows: 9, refused: [], leads: [] };

test('rows are counted by what became of them, with what those came in without that are in', () => {
  const leftOut = [{ field: 'phone', message: '“n/a” is no phone number' }];
  const settled = [
    settledOf({ line: 6, leftOut }, { status: 201 }),
    settledOf({ leftOut: [] }, { status: 201, outcome: 'created' }),
    settledOf({}, { status: 200 }),
    settledOf({}, { status: 200, outcome: 'updated' }),
    settledOf({}, { status: 200, outcome: 'unchanged' }),
    settledOf({ line: 5, leftOut }, refusedFor('forbidden')),
  ];
  const early = { line: 3, code: 'invalid_row', field: '', message: 'It has no name.' };
  expect(doneOf({ ...whole, refused: [{ ...early, line: 8 }, early] }, settled)).toEqual({
    batch: 7,
    counts: { created: 2, updated: 2, unchanged: 1 },
    refused: [
      early,
      { line: 5, code: 'forbidden', field: '', message: 'No.' },
      { ...early, line: 8 },
    ],
    leftOut: [{ line: 6, code: 'left_out', ...leftOut[0] }],
  });
  expect(doneOf(whole, [])).toEqual({
    ...{ batch: 7, counts: { created: 0, updated: 0, unchanged: 0 }, refused: [] },
  });
});

const seen = new Map([
  ['email a@x', 2],
  ['phone +1', 4],
]);

test.each<[string, Partial<Settled['sent']>, Outcome, string[]]>([
  [
    'each reason',
    { lead: { email: 'a', phone: 'b' } },
    refusedFor('invalid_request', [
      { path: 'email', message: 'is wrong' },
      { path: 'phone', message: 'is wrong, too' },
    ]),
    ['email is wrong', 'phone is wrong, too'],
  ],
  [
    'that a row of a spreadsheet has no name',
    { leftOut: [] },
    refusedFor('invalid_request', [{ path: 'contact_name', message: 'is required' }]),
    ['contact_name The row has no name, company, email or phone.'],
  ],
  [
    'of a line of NDJSON what the API says',
    {},
    refusedFor('invalid_request', [{ path: 'contact_name', message: 'is required' }]),
    ['contact_name is required'],
  ],
  [
    'of a name what the API says',
    { lead: { contact_name: 'x' }, leftOut: [] },
    refusedFor('invalid_request', [{ path: 'contact_name', message: 'is wrong' }]),
    ['contact_name is wrong'],
  ],
  [
    'why a value was left out that is missing now',
    { leftOut: [{ field: 'email', message: '“x” is no email address' }] },
    refusedFor('invalid_request', [
      { path: 'email', message: 'is required' },
      { path: 'stage', message: 'is unknown' },
    ]),
    ['email “x” is no email address; email is required', 'stage is unknown'],
  ],
  [
    'what another lead has, and which row of the file has it, too',
    { line: 9, lead: { email: 'A@x', phone: '+1', external_id: 'e' } },
    refusedFor('duplicate_lead', [
      { path: 'email', message: 'is the email of lead 7' },
      { path: 'phone', message: 'is the phone of lead 7' },
      { path: 'external_id', message: 'is the external_id of lead 7' },
    ]),
    [
      'email “A@x” is the email of lead 7; line 2 has it, too',
      'phone “+1” is the phone of lead 7; line 4 has it, too',
      'external_id “e” is the external_id of lead 7',
    ],
  ],
  [
    'no row that has it, too, where that is the row itself',
    { line: 4, lead: { phone: '+1' } },
    refusedFor('duplicate_lead', [{ path: 'phone', message: 'is the phone of lead 7' }]),
    ['phone “+1” is the phone of lead 7'],
  ],
  [
    'no value that is no text',
    { lead: { external_id: 5 } },
    refusedFor('duplicate_lead', [{ path: 'external_id', message: 'is of lead 7' }]),
    ['external_id is of lead 7'],
  ],
])('of a row that is refused it is told %s', (_, sent, outcome, told) => {
  const { refused } = doneOf(whole, [settledOf(sent, outcome)], seen);
  expect(refused.map(({ field, message }) => `${field} ${message}`)).toEqual(told);
  expect(new Set(refused.map(({ line, code }) => `${line} ${code}`))).toEqual(
    new Set([`${sent.line ?? 2} ${outcome.error?.code}`]),
  );
});
