// Takes what a form of a website posts, and makes it a lead, or a note on the lead of a person who is known.
// The form is { form_id, name, email, phone, company, message }; what else it has is for the note, too.
// `node form.mjs`, with the variables below.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { ApiError, createClient } from '@leads-and-stars/client';

const { BASE_URL, ORGANIZATION, PIPELINE, LEADS_API_KEY, PORT = '8080' } = process.env;
/** Any form of so many bytes fits into a note. */
const longestBody = 10_000;

const needed = { BASE_URL, ORGANIZATION, PIPELINE, LEADS_API_KEY };
const missing = Object.keys(needed).filter((name) => !needed[name]);
if (missing.length > 0) {
  console.error(`Set ${missing.join(', ')}.`);
  process.exit(1);
}

const crm = createClient({
  baseUrl: BASE_URL,
  organizationId: ORGANIZATION,
  // Of an agent: see docs/machines.md.
  apiKey: LEADS_API_KEY,
  retry: { attempts: 8 },
});

/** The texts of a form, trimmed. An empty one is absent. Undefined if it is no form. */
const formOf = (json) => {
  try {
    const form = Object.entries(JSON.parse(json)).map(([name, value]) => [
      name,
      value === null ? undefined : value.trim() || undefined,
    ]);
    return form.length > 0 ? Object.fromEntries(form) : undefined;
  } catch {
    return undefined;
  }
};

/** As the API takes it. Undefined for one without its country, which only a person can complete. */
const phoneOf = (typed = '') => {
  const phone = typed.replace(/\(0\)|[\s()./-]/g, '').replace(/^00/, '+');
  return /^\+[1-9]\d{6,14}$/.test(phone) ? phone : undefined;
};

/** `form_id` is a UUID that the page made when it showed the form: the same form is the same lead. */
const leadOf = ({ form_id, name, email, phone, company }) => ({
  external_id: form_id && `form-${form_id}`,
  contact_name: name,
  email,
  phone: phoneOf(phone),
  company_name: company,
  pipeline_id: PIPELINE,
  tags: ['website'],
});

/** Makes or finds the lead of a form. A person who is known has one already: all of the form is for its note then. */
const saveLead = async (form) => {
  try {
    const body = { match: 'external_id', lead: leadOf(form) };
    const { data } = await crm.post('/leads/upsert', { body });
    const { form_id, name, email, company, phone, ...rest } = form;
    return { leadId: data.lead.id, note: phoneOf(phone) ? rest : { phone, ...rest } };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'duplicate_lead') throw error;
    const { form_id, ...note } = form;
    return { leadId: error.details[0].lead_id, note };
  }
};

/** Writes a note once, however often it is asked to within a day. */
const addNote = async (formId, leadId, values) => {
  const lines = Object.entries(values).map(([name, value]) => value && `${name}: ${value}`);
  const note = lines.filter(Boolean).join('\n');
  if (note === '') return;
  const hash = createHash('sha256').update([formId, leadId, note].join('\n')).digest('hex');
  const idempotencyKey = hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-8$3-8$4-$5');
  const path = { lead_id: leadId };
  await crm.post('/leads/{lead_id}/notes', { path, body: { text: note }, idempotencyKey });
};

/** What of a form a person can mend, by the API’s names. */
const mendable = {
  'lead.external_id': 'form_id',
  'lead.contact_name': 'name',
  'lead.email': 'email',
  'lead.company_name': 'company',
};

const server = createServer(async (request, response) => {
  const answer = (status, body) => response.writeHead(status).end(JSON.stringify(body));
  try {
    if (request.method !== 'POST') return answer(405, {});
    if (!(Number(request.headers['content-length']) <= longestBody)) return answer(413, {});
    const form = formOf(await text(request));
    if (!form) return answer(400, {});
    const { leadId, note } = await saveLead(form);
    await addNote(form.form_id, leadId, note);
    // The same for everyone: who is known already is nobody’s business.
    answer(200, {});
  } catch (error) {
    const details = error.code === 'invalid_request' ? error.details : [];
    const fields = details.map(({ path }) => mendable[path]);
    if (fields.length > 0 && fields.every(Boolean)) return answer(400, { fields });
    // The form is right, so that the page sends it again.
    console.error(error.code ?? error.message, error.requestId ?? '');
    answer(503, {});
  }
});
server.listen(Number(PORT), () => console.log(`Listening on port ${server.address().port}`));
