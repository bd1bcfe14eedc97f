import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type FormExample, startFormExample } from '../support/form-example.ts';
import { type Organization, provision } from '../support/organization.ts';

// docs/examples/form.mjs, beside the running service. Its page is for test/browser/form-example.test.ts.

let organization: Organization;
let example: FormExample;

beforeAll(async () => {
  organization = await provision();
  example = await startFormExample(organization, {
    PAGE_ORIGINS: 'https://example.com/ https://www.example.com',
  });
});
afterAll(() => example?.end());

beforeEach(async () => {
  for (const { id } of await organization.readAll('/leads')) {
    await organization.delete(`/leads/${id}`);
  }
});

type Body = NonNullable<RequestInit['body']>;
const send = async (body: Body, headers: Record<string, string> = {}) => {
  const answer = await fetch(example.url, { method: 'POST', body, headers });
  return [answer.status, await answer.json()];
};
const post = (body: object) => send(JSON.stringify(body));
/** All leads with their notes, the oldest first. */
const stored = async () => {
  const { items } = (await organization.get('/leads')).body;
  const leads = items.map(async (lead: { id: string }) => {
    const { body } = await organization.get(`/leads/${lead.id}/notes`);
    return { ...lead, notes: body.items.map((note: { text: string }) => note.text) };
  });
  return (await Promise.all(leads)).reverse();
};

const form = (values: object) => ({ form_id: crypto.randomUUID(), ...values });
const maria = { name: 'Maria', email: 'form-maria@example.com' };
const taken = [200, {}];

test('each form is one lead with one note, however often it is sent', async () => {
  const first = form({ ...maria, message: 'Call me on Monday.' });
  expect(await Promise.all([post(first), post(first), post(first)])).toEqual([taken, taken, taken]);
  expect(await post(first)).toEqual(taken);
  expect(await stored()).toMatchObject([
    { contact_name: 'Maria', tags: ['website'], notes: ['message: Call me on Monday.'] },
  ]);
});

test('a second form of a person who is known is a note on that lead, once', async () => {
  await post(form(maria));
  const second = form({
    ...maria,
    email: maria.email.toUpperCase(),
    phone: '+55 11 98765-4321',
    company: 'Cedro',
    message: 'Any news?',
  });
  expect([await post(second), await post(second)]).toEqual([taken, taken]);
  // Without a message, too: somebody asked to be called.
  expect(await post(form(maria))).toEqual(taken);
  const note = [
    'name: Maria',
    'email: FORM-MARIA@EXAMPLE.COM',
    'phone: +55 11 98765-4321',
    'company: Cedro',
    'message: Any news?',
  ].join('\n');
  expect(await stored()).toMatchObject([
    { phone: null, notes: [`name: Maria\nemail: ${maria.email}`, note] },
  ]);
});

test('without an id a form is one lead, too, and an id that is always the same is harmless', async () => {
  const ana = { name: 'Ana', message: 'Hello.' };
  expect([await post(ana), await post(ana)]).toEqual([taken, taken]);
  await post({ form_id: 'contact', name: 'Rui', company: 'Cedro' });
  await post({ form_id: 'contact', name: 'Eva', company: 'Cedro' });
  await post({ form_id: 'contact', name: 'Eva', company: 'Cedro' });
  await post({ form_id: ['contact', 2], name: 'x'.repeat(200) });
  const names = (await stored()).map(({ contact_name }) => contact_name);
  expect(names).toEqual(['Ana', 'Rui', 'Eva', 'x'.repeat(200)]);
});

test('texts are trimmed, empty ones are absent, and a phone is read as people type it', async () => {
  const empty = { company: '', phone: ' ', message: '\n', email: null, interest: [], more: {} };
  await post(form({ ...empty, name: ' Ana ' }));
  await post(form({ name: 'Rui', phone: '0055 (11) 98765-4321', company: ' Cedro ' }));
  await post(form({ name: 'Eva', phone: '+49 (0)30 / 123.456', message: ' Hello. ' }));
  await post(form({ name: 'Bo', phone: '(11) 98765-4321', budget: 'small' }));
  expect(await stored()).toMatchObject([
    { contact_name: 'Ana', company_name: null, phone: null, email: null, notes: [] },
    { contact_name: 'Rui', company_name: 'Cedro', phone: '+5511987654321', notes: [] },
    { contact_name: 'Eva', phone: '+4930123456', notes: ['message: Hello.'] },
    { contact_name: 'Bo', phone: null, notes: ['phone: (11) 98765-4321\nbudget: small'] },
  ]);
});

test('whatever a form has is a line of the note', async () => {
  const json = JSON.stringify({
    ...form({ name: 'Ana' }),
    consent: true,
    newsletter: false,
    seats: 0,
    interest: ['demo', '', 'prices', ['both']],
    address: { city: 'Rio', zip: null, geo: { lat: -22.9 } },
    items: [{ sku: 'a' }, { sku: 'b' }],
    'two\nlines': 'kept\non two',
    constructor: 'a',
    half: 'x\ud800',
    pipeline_id: 'none',
  });
  // Numbers that JavaScript can't hold.
  expect(await send(json.replace('{', '{"tax_id":12345678901234567890,"price":1.10,'))).toEqual(
    taken,
  );
  const [{ notes }] = (await stored()) as [{ notes: string[] }];
  expect(notes).toEqual([
    [
      'tax_id: 12345678901234567890',
      'price: 1.10',
      'consent: yes',
      'newsletter: no',
      'seats: 0',
      'interest: demo, prices, both',
      'address: (city: Rio, geo: (lat: -22.9))',
      'items: (sku: a), (sku: b)',
      'two lines: kept\non two',
      'constructor: a',
      'half: x\ufffd',
      'pipeline_id: none',
    ].join('\n'),
  ]);
});

test('a form without a script is taken, with lists and the names of files', async () => {
  const fields: [string, string][] = [
    ['name', 'Ana'],
    ['phone', '+55 11 98765-4321'],
    ['interest', 'a demo'],
    ['interest', 'prices & more'],
    ['company', ''],
  ];
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value);
  data.append('cv', new File(['secret'], 'cv.pdf', { type: 'application/pdf' }));
  data.append('photo', new File([], ''));
  expect(await send(new URLSearchParams(fields))).toEqual(taken);
  expect(await send(data)).toEqual(taken);
  const lead = { contact_name: 'Ana', phone: '+5511987654321', company_name: null };
  expect(await stored()).toMatchObject([
    { ...lead, notes: ['interest: a demo, prices & more'] },
    { ...lead, notes: ['interest: a demo, prices & more\ncv: cv.pdf (a file, which is not kept)'] },
  ]);
  const answer = await fetch(example.url, {
    method: 'POST',
    body: data,
    headers: { accept: 'text/html,*/*' },
  });
  expect(await answer.text()).toBe('Thank you.');
});

test('what the API refuses of a lead is in its note, and the lead is made', async () => {
  const long = 'y'.repeat(201);
  await post(form({ name: 'Ana', email: 'x' }));
  await post(form({ name: 'Rui', company: long, email: 'rui@example.com' }));
  await post(form({ name: long, company: 'y'.repeat(200) }));
  await post(form({ name: '\u200b', email: ['a@example.com', 'b@example.com'], company: long }));
  expect(await stored()).toMatchObject([
    { contact_name: 'Ana', email: null, notes: ['email: x'] },
    { contact_name: 'Rui', email: 'rui@example.com', notes: [`company: ${long}`] },
    { contact_name: 'y'.repeat(200), company_name: 'y'.repeat(200), notes: [`name: ${long}`] },
    {
      contact_name: 'Website form',
      notes: [`name: \u200b\nemail: a@example.com, b@example.com\ncompany: ${long}`],
    },
  ]);
});

test('a form without a name is a lead of another', async () => {
  await post(form({ email: maria.email }));
  await post(form({ phone: '11 98765', company: 'Cedro' }));
  await post({ consent: 'on' });
  expect(await stored()).toMatchObject([
    { contact_name: maria.email, email: maria.email, notes: [] },
    { contact_name: '11 98765', notes: ['phone: 11 98765'] },
    { contact_name: 'Website form', notes: ['consent: on'] },
  ]);
});

const noteOf = async (values: object): Promise<string> => {
  expect(await post(form(values))).toEqual(taken);
  return (await stored()).at(-1).notes[0];
};

test('a note that would be too long has the beginning of its longest lines, and all of the short ones', async () => {
  const [short, most] = ['budget: 5', 10_000 - 'message: \nbudget: 5'.length];
  const whole = { name: 'Ana', message: 'x'.repeat(most), budget: 5 };
  expect(await noteOf(whole)).toBe(`message: ${whole.message}\n${short}`);
  const cut = await noteOf({ ...whole, message: `${whole.message}x` });
  expect(cut).toMatch(/^message: x{9900,} … \(\d+ more characters\)\nbudget: 5$/);
  const two = await noteOf({ ...whole, message: 'x'.repeat(1_000_000), other: 'y'.repeat(6000) });
  expect(two).toMatch(
    /^message: x{4900,} … \(99\d+ more characters\)\nbudget: 5\nother: y{4900,} … /,
  );
  expect(two.length).toBeLessThanOrEqual(10_000);
});

test('a note that would be too long has the first 100 lines, and says how many more there are', async () => {
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`field ${i}`, 'z'.repeat(200)]));
  const hundred = (await noteOf({ name: 'Ana', ...fields(100) })).split('\n');
  expect([hundred.length, hundred.at(-1)]).toEqual([100, expect.stringMatching(/^field 99: z/)]);
  const more = (await noteOf({ name: 'Ana', ...fields(102) })).split('\n');
  expect([more.length, more.at(-1)]).toEqual([101, '… (2 more fields)']);
});

test('a form may have five million bytes, and not one more', async () => {
  const whole = form({ name: 'Ana', message: '' });
  const room = 5_000_000 - JSON.stringify(whole).length;
  expect(await post({ ...whole, message: 'x'.repeat(room + 1) })).toEqual([413, {}]);
  await eventually(example.log, (log) => log.endsWith('A form was too long.\n'));
  expect(await post({ ...whole, message: 'x'.repeat(room) })).toEqual(taken);
  expect(await stored()).toMatchObject([{ contact_name: 'Ana' }]);
});

test('what is no form can never succeed, and is logged without what it says', async () => {
  const deep = `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const bodies = ['{bad', 'null', '5', '[]', '{}', '', '{"name":" "}', '{"form_id":"1"}', deep];
  for (const body of bodies) {
    expect([body.slice(0, 20), await send(body)]).toEqual([body.slice(0, 20), [400, {}]]);
  }
  const forms = { 'content-type': 'application/x-www-form-urlencoded' };
  expect(await send('name=&company=', forms)).toEqual([400, {}]);
  expect(await send('x', { 'content-type': 'multipart/form-data; boundary=b' })).toEqual([400, {}]);
  expect(await stored()).toEqual([]);
  const lines = 'A form was empty, or none.\n'.repeat(bodies.length + 2);
  await eventually(example.log, (log) => log.endsWith(lines));
});

test('a form is to be sent again where its API key may not', async () => {
  const one = form(maria);
  await organization.patch(example.apiKeyPath, { role: 'viewer' });
  expect(await post(one)).toEqual([503, {}]);
  expect(await stored()).toEqual([]);
  await organization.patch(example.apiKeyPath, { role: 'agent' });
  expect(await post(one)).toEqual(taken);
  expect(await stored()).toMatchObject([{ contact_name: 'Maria' }]);
});

test('what the API refuses for another reason is logged by its field', async () => {
  const wrong = await startFormExample(organization, { PIPELINE: crypto.randomUUID() });
  onTestFinished(() => wrong.end());
  const body = JSON.stringify(form({ ...maria, email: 'x' }));
  const { status } = await fetch(wrong.url, { method: 'POST', body });
  expect(status).toBe(503);
  const line = /^invalid_request [0-9a-f-]{36} lead\.pipeline_id\n$/;
  await eventually(wrong.log, (log) => line.test(log));
});

test('pages of the named origins may call it and read the answer, and others not', async () => {
  const allowed = async (origin: string, method = 'OPTIONS') => {
    const { status, headers } = await fetch(example.url, { method, headers: { origin } });
    const [allowOrigin, allowHeaders] = ['origin', 'headers'].map((name) =>
      headers.get(`access-control-allow-${name}`),
    );
    return [status, headers.get('vary'), allowOrigin, allowHeaders];
  };
  for (const origin of ['https://example.com', 'https://www.example.com']) {
    expect(await allowed(origin)).toEqual([204, 'Origin', origin, 'Content-Type']);
    expect(await allowed(origin, 'POST')).toEqual([400, 'Origin', origin, 'Content-Type']);
  }
  for (const origin of ['https://example.org', 'http://example.com', 'null']) {
    expect(await allowed(origin)).toEqual([204, 'Origin', null, null]);
  }
  expect((await fetch(example.url, { method: 'PUT', body: '{"name":"Ana"}' })).status).toBe(405);
  expect(await stored()).toEqual([]);
});
