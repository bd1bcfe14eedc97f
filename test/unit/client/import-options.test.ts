import { expect, test } from 'vitest';
import type { ImportOptions } from '../../../packages/client/src/cli/import-options.ts';
import { importing, inSales, type Lead, sales, support, user } from './importing.ts';
import { makeDirectory } from './support.ts';

// Options that are wrong, or do not fit the file or the organization; and with which an import goes on.

const people = ['contact_name,email', 'Ana,ana@example.com', 'Rui,'];

// Each is refused before anything is sent but questions.
test.each<[string, Partial<ImportOptions>, string]>([
  ['a pipeline that is no id', { pipeline: 'sales' }, '--pipeline must be a UUID.'],
  [
    'a pipeline of others',
    { pipeline: user },
    `--pipeline ${user} is none of this organization. There are: ${sales} (Sales), ${support} (Support).`,
  ],
  ['no pipeline', {}, '--pipeline must say where new leads go: no column does.'],
  ['a report without a name', { ...inSales, report: '' }, '--report must name a file.'],
  ['--move alone', { ...inSales, move: true }, '--move goes with --match.'],
  [
    'a time zone that is none',
    { ...inSales, timeZone: 'Mars/Olympus' },
    '--time-zone “Mars/Olympus” is not known. Say one such as America/Sao_Paulo, or UTC.',
  ],
  [
    'an encoding that is none',
    { ...inSales, encoding: 'klingon' },
    '--encoding “klingon” is not known. Say utf-8, latin1, windows-1252, utf-16 or another name of the Encoding Standard.',
  ],
  [
    'a country that is none',
    { ...inSales, country: 'Atlantis' },
    '--country “Atlantis” is not known. Say its code, such as BR.',
  ],
  [
    'values of an email',
    { ...inSales, values: ['email=a=b'] },
    '--values email: say it of a field such as stage, owner_id or fields.source.',
  ],
  [
    'values of a phone',
    { ...inSales, values: ['phone=a=b'] },
    '--values phone: say it of a field such as stage, owner_id or fields.source.',
  ],
  [
    'values of no field',
    { ...inSales, values: ['colour=a=b'] },
    '--values colour: say it of a field such as stage, owner_id or fields.source.',
  ],
  [
    'an owner who is no user',
    { ...inSales, values: [`owner_id=Ana=${user};Rui=rui`] },
    '--values owner_id: “rui” is no user’s id, which is a UUID.',
  ],
  [
    'a stage that the pipeline does not have',
    { ...inSales, match: 'email', values: ['stage=Open=open'] },
    '--values stage: “open” is no stage. There are: new, won.',
  ],
  [
    'a stage that no pipeline has',
    { match: 'external_id', values: ['stage=Open=nope'] },
    '--values stage: “nope” is no stage. There are: new, won, open.',
  ],
  [
    'values that say one thing twice',
    { ...inSales, values: ['tags=a=b', 'tags=a=c'] },
    '--values gives “a” of tags two values.',
  ],
  [
    'no field for phones',
    { ...inSales, unreadPhone: '' },
    '--unread-phone must name a custom field.',
  ],
  ...['nope', 'old', 'size', "fields.o'clock"].map((name): [string, object, string] => [
    `phones that go into ${name}`,
    { ...inSales, unreadPhone: name },
    `--unread-phone '${name.replace("'", "'\\''")}' must name a custom field of type text. There are: note.`,
  ]),
  [
    'phones of no column',
    { ...inSales, unreadPhone: 'fields.note' },
    '--unread-phone goes with a column that is the phone, and there is none.',
  ],
])('%s is refused, and nothing is sent', async (_, options, message) => {
  const { error, asked, report } = await importing(people, options);
  expect(error).toBe(message);
  expect(asked.filter((one) => one.startsWith('POST'))).toEqual([]);
  expect(report).toBeUndefined();
});

test.each<[string, Partial<ImportOptions>]>([
  ['a pipeline in capitals', { pipeline: sales.toUpperCase() }],
  ['a time zone', { ...inSales, timeZone: 'UTC' }],
  ['an encoding', { ...inSales, encoding: 'utf8' }],
  ['a country', { ...inSales, country: 'Brasil' }],
  ['an owner, and one who goes unowned', { ...inSales, values: [`owner_id=Ana=${user};Rui=`] }],
  ['a stage, and one that is left out', { ...inSales, values: ['stage=Open=won;Old='] }],
  ['a stage of any pipeline', { match: 'email', ...inSales, values: ['stage=Open=new'] }],
  ['values that say the same twice', { ...inSales, values: ['tags=a=b', 'tags=a=b'] }],
  ['values of a custom field', { ...inSales, values: ['fields.note=a=b'] }],
])('%s is taken', async (_, options) => {
  const { error, batches } = await importing(people, options);
  expect([error, batches[0]?.leads.length]).toEqual([undefined, 2]);
});

test.each<[string, Partial<ImportOptions>]>([
  ['from', { from: 'hubspot' }],
  ['country', { country: 'BR' }],
  ['country-column', { countryColumn: 'Land' }],
  ['unread-phone', { unreadPhone: 'note' }],
  ['dates', { dates: 'dmy' }],
  ['time-zone', { timeZone: 'UTC' }],
  ['values', { values: ['stage=a=new'] }],
])('lines of NDJSON are leads as they are: --%s is refused', async (option, options) => {
  const lines = ['{"contact_name":"Ana"}'];
  const { error } = await importing(lines, { ...inSales, ...options }, undefined, 'leads.ndjson');
  expect(error).toBe(`--${option} is for CSV. Lines of NDJSON are leads as in the API.`);
  const taken = await importing(lines, inSales, undefined, 'leads.ndjson');
  expect(taken.batches[0]?.leads).toEqual([{ pipeline_id: sales, contact_name: 'Ana' }]);
});

const forbidden = () => {
  const error = { code: 'forbidden', message: 'You may not.', request_id: 'r' };
  return Response.json({ error }, { status: 403 });
};
/** Only the question at the beginning is answered. */
const forbiddenLater = (lead: Lead) =>
  Object.keys(lead).length === 0 ? { status: 400 } : forbidden();

test('an import that was interrupted goes on with the same options, and with no others', async () => {
  const lines = ['contact_name,phone,fields.note,Due,Land', 'Ana,+5511988887777,n,2026-11-20,BR'];
  const map = new Map([['Due', 'next_step_at']]);
  const first: Partial<ImportOptions> = { ...inSales, map, timeZone: 'UTC' };
  const path = await makeDirectory();
  const bring = (options: Partial<ImportOptions>, answer?: typeof forbiddenLater) =>
    importing(lines, { map, ...options }, answer, 'leads.csv', path);
  const left = new Map([...map, ['Land', '']]);
  const interrupted = await bring({ ...first, map: left }, forbiddenLater);
  expect([interrupted.error, interrupted.isOpen]).toEqual(['You may not.', true]);
  const others: Partial<ImportOptions>[] = [
    { pipeline: support },
    { timeZone: 'Europe/Lisbon' },
    { dates: 'dmy' },
    { country: 'BR' },
    { countryColumn: 'Land' },
    { unreadPhone: 'note' },
    { encoding: 'utf-8' },
    { values: ['tags=a=b'] },
    { match: 'external_id' },
    { map: new Map([...left, ['fields.note', '']]) },
    { baseUrl: 'http://service.test/v1/' },
  ];
  for (const other of others) {
    const { error, batches, isOpen } = await bring({ ...first, map: left, ...other });
    expect([Object.keys(other), error, batches, isOpen]).toEqual([
      Object.keys(other),
      expect.stringContaining('is of an import of another file, by another user, or with other'),
      [],
      true,
    ]);
  }
  const gone = await bring({ ...first, map: left });
  expect([gone.error, gone.batches.length, gone.isOpen]).toEqual([undefined, 1, false]);
  // Keys are those of the first time.
  expect(gone.said).toContain('1 rows, 1 created');
});

test('a state of other custom fields, or of another organization, is another import', async () => {
  const lines = ['contact_name,fields.note', 'Ana,n'];
  const path = await makeDirectory();
  await importing(lines, inSales, forbiddenLater, 'leads.csv', path);
  const other = { ...inSales, organization: user };
  const { error } = await importing(lines, other, undefined, 'leads.csv', path);
  expect(error).toContain('is of an import of another file');
});

test.each<[object, string | undefined]>([
  [{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, 'a, b, c, d, e'],
  [{ error: 'x' }, 'error'],
  [{ a: 1, contact_name: 'Ana' }, undefined],
  [{ a: 1, fields: {} }, undefined],
  [{ a: 1, mine: 'Ana' }, undefined],
])('a first line of JSON that has nothing of a lead is told: %j', async (line, told) => {
  const options = { ...inSales, map: new Map([['mine', 'contact_name']]) };
  const { error } = await importing([JSON.stringify(line)], options, undefined, 'leads.ndjson');
  const text = `The first line is JSON, but no lead: it has ${told}. It may be the answer of another service.`;
  if (told === undefined) expect(error ?? '').not.toContain('The first line');
  else expect(error).toBe(text);
});
