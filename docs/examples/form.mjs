// Takes what a form of a website posts, and makes it a lead, or a note on the lead of a person who is known.
// The form has any of form_id, name, email, phone and company; whatever the lead can't have is for the note.
// `node form.mjs`, with the variables below. docs/machines.md says how a page calls it.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createClient } from '@leads-and-stars/client';
import { noteOf, readFields } from './form-fields.mjs';

const { BASE_URL, ORGANIZATION, PIPELINE, LEADS_API_KEY, PORT = '8080' } = process.env;
/** Of pages elsewhere that may call this and read its answer, such as https://www.example.com, with blanks between them. */
const { PAGE_ORIGINS = '' } = process.env;
/** Bytes of a form with its files. */
const longestBody = 5_000_000;

const needed = { BASE_URL, ORGANIZATION, PIPELINE, LEADS_API_KEY };
const missing = Object.keys(needed).filter((name) => !needed[name]);
if (missing.length > 0) {
  console.error(`Set ${missing.join(', ')}.`);
  process.exit(1);
}
const pageOrigins = PAGE_ORIGINS.split(/[\s,]+/)
  .filter(Boolean)
  .map((url) => new URL(url).origin);

const crm = createClient({
  baseUrl: BASE_URL,
  organizationId: ORGANIZATION,
  // Of an agent: see docs/machines.md.
  apiKey: LEADS_API_KEY,
  retry: { attempts: 8 },
});

const hashOf = (...values) => createHash('sha256').update(JSON.stringify(values)).digest('hex');

/** As the API takes it. Undefined for one without its country, which only a person can complete. */
const phoneOf = (typed = '') => {
  const phone = typed.replace(/\(0\)|[\s()./-]/g, '').replace(/^00/, '+');
  return /^\+[1-9]\d{6,14}$/.test(phone) ? phone : undefined;
};

const unnamed = 'Website form';

/** The same form is the same lead, however often it is sent: for a day, if the page made no `form_id` for it. */
const leadOf = (fields) => {
  const { form_id, name, email, phone, company } = Object.fromEntries(fields);
  const today = new Date().toISOString().slice(0, 10);
  return {
    external_id: `form-${hashOf(form_id ?? today, fields)}`,
    contact_name: (name ?? email ?? phone ?? company ?? unnamed).slice(0, 200).toWellFormed(),
    email,
    phone: phoneOf(phone),
    company_name: company,
    pipeline_id: PIPELINE,
    tags: ['website'],
  };
};

/** What the lead calls the fields of a form. It can do without each, as the note has them. */
const leadNames = { name: 'contact_name', email: 'email', phone: 'phone', company: 'company_name' };

/** Makes or finds the lead, and tells what it has: nothing of the form, if it is that of a person who is known. */
const saveLead = async (lead) => {
  try {
    const { data } = await crm.post('/leads/upsert', { body: { match: 'external_id', lead } });
    return { id: data.lead.id, saved: lead };
  } catch (error) {
    if (error.code === 'duplicate_lead') return { id: error.details[0].lead_id, saved: {} };
    const paths = error.code === 'invalid_request' ? error.details.map(({ path }) => path) : [];
    const refused = Object.values(leadNames)
      .filter((field) => paths.includes(`lead.${field}`))
      .filter((field) => ![undefined, unnamed].includes(lead[field]));
    if (refused.length === 0) throw error;
    const left = Object.entries(lead).filter(([field]) => !refused.includes(field));
    return saveLead({ contact_name: unnamed, ...Object.fromEntries(left) });
  }
};

const unsaved = (fields, saved) =>
  fields.filter(([name, text]) => {
    const value = name === 'phone' ? (phoneOf(text) ?? text) : text;
    return name !== 'form_id' && saved[leadNames[name]] !== value;
  });

/** Writes a note once, however often it is asked to within a day. */
const addNote = async (formId, lead_id, text) => {
  if (text === '') return;
  const hash = hashOf(formId, lead_id, text);
  const idempotencyKey = hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-8$3-8$4-$5');
  await crm.post('/leads/{lead_id}/notes', { path: { lead_id }, body: { text }, idempotencyKey });
};

/** All of a request's body; undefined if it is too long. */
const readBody = async (request) => {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= longestBody) chunks.push(chunk);
  }
  return length <= longestBody ? Buffer.concat(chunks) : undefined;
};

/** Stores what a page has sent. Gives the status of the answer, and what to log: no word of a form. */
const take = async (request) => {
  const body = await readBody(request);
  if (!body) return [413, 'A form was too long.'];
  const fields = await readFields(request.headers['content-type'], body);
  if (fields.every(([name]) => name === 'form_id')) return [400, 'A form was empty, or none.'];
  const lead = leadOf(fields);
  const { id, saved } = await saveLead(lead);
  await addNote(lead.external_id, id, noteOf(unsaved(fields, saved)));
  // The same for everyone: who is known already is nobody’s business.
  return [200];
};

/** The form is right, so that the page sends it again. */
const failed = ({ name, code = name, message, requestId = '', details = [] }) => [
  503,
  // Where something else than the API answered, only the message says what.
  [code === 'unknown' ? message : code, requestId, ...details.map(({ path }) => path)].join(' '),
];

const words = { 200: 'Thank you.', 413: 'This is too long.' };

const answer = async (request, response) => {
  const { origin, accept } = request.headers;
  response.setHeader('Vary', 'Origin');
  if (pageOrigins.includes(origin)) {
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Allow-Headers', 'Content-Type');
  }
  if (request.method === 'OPTIONS') return response.writeHead(204).end();
  if (request.method === 'GET') {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    return response.end(await readFile(new URL('form.html', import.meta.url)));
  }
  if (request.method !== 'POST') return response.writeHead(405).end();
  const [status, line] = await take(request).catch(failed);
  if (line) console.error(line);
  // A page without a script shows the answer.
  const isShown = accept?.includes('text/html');
  response.writeHead(status).end(isShown ? (words[status] ?? 'Please send it again.') : '{}');
};

const server = createServer((request, response) => {
  answer(request, response).catch(({ message }) => {
    console.error(message);
    response.writeHead(404).end();
  });
});
server.listen(Number(PORT), () => console.log(`Listening on port ${server.address().port}`));
