import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type Organization, provision } from '../support/organization.ts';

// docs/examples/form.mjs, beside the running service.

const root = join(import.meta.dirname, '../..');
const hooks = join(import.meta.dirname, 'client-source.js');
const script = ['--import', hooks, join(root, 'docs/examples/form.mjs')];

let organization: Organization;
let apiKeyPath: string;
let url: string;
let end: () => Promise<void>;

beforeAll(async () => {
  organization = await provision();
  const { body: made } = await organization.post('/keys', { name: 'Form', role: 'agent' });
  apiKeyPath = `/keys/${made.id}`;
  const form = spawn(process.execPath, script, {
    env: {
      BASE_URL: inject('service').baseUrl,
      ORGANIZATION: organization.id,
      PIPELINE: organization.pipelineId,
      LEADS_API_KEY: made.key,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  end = async () => {
    const ended = once(form, 'exit');
    form.kill('SIGTERM');
    await ended;
  };
  const [line] = await once(form.stdout, 'data');
  url = `http://127.0.0.1:${/\d+/.exec(String(line))?.[0]}`;
});
afterAll(() => end());

beforeEach(async () => {
  for (const { id } of await organization.readAll('/leads')) {
    await organization.delete(`/leads/${id}`);
  }
});

const postText = (body: string) => fetch(url, { method: 'POST', body });
const post = async (body: object) => {
  const answer = await postText(JSON.stringify(body));
  return [answer.status, await answer.json()];
};
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

test('texts are trimmed, empty ones are absent, and a phone is read as people type it', async () => {
  const empty = { company: '', phone: ' ', message: '\n', email: null };
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

test('what is wrong is told by its field, and what can never succeed is not to be sent again', async () => {
  expect(await post(form({ ...maria, email: 'x' }))).toEqual([400, { fields: ['email'] }]);
  expect(await post(form({ email: maria.email }))).toEqual([400, { fields: ['name'] }]);
  expect(await post(maria)).toEqual([400, { fields: ['form_id'] }]);
  for (const body of ['{bad', 'null', '5', '[]', '{}', '{"name":5}']) {
    expect([body, (await postText(body)).status]).toEqual([body, 400]);
  }
  expect(await stored()).toEqual([]);
});

test('a message of all that a form can have is taken, and one byte more is not', async () => {
  await post(form(maria));
  const whole = form({ ...maria, message: '' });
  const room = 10_000 - JSON.stringify(whole).length;
  expect(await post({ ...whole, message: 'x'.repeat(room + 1) })).toEqual([413, {}]);
  expect(await post({ ...whole, message: 'x'.repeat(room) })).toEqual(taken);
  const [{ notes }] = (await stored()) as [{ notes: string[] }];
  expect(notes[0]).toContain('x'.repeat(room));
});

test('a form is to be sent again where its API key may not', async () => {
  const one = form(maria);
  await organization.patch(apiKeyPath, { role: 'viewer' });
  expect(await post(one)).toEqual([503, {}]);
  expect(await stored()).toEqual([]);
  await organization.patch(apiKeyPath, { role: 'agent' });
  expect(await post(one)).toEqual(taken);
  expect(await stored()).toMatchObject([{ contact_name: 'Maria' }]);
});
