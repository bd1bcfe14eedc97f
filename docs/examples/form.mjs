// Takes what a form of a website posts, and makes it a lead. `node form.mjs`, with the variables below.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { ApiError, createClient } from '@leads-and-stars/client';

const { BASE_URL, ORGANIZATION, PIPELINE, LEADS_TOKEN_FILE, PORT = '8080' } = process.env;
const longestBody = 10_000;

const needed = { BASE_URL, ORGANIZATION, PIPELINE, LEADS_TOKEN_FILE };
const missing = Object.keys(needed).filter((name) => !needed[name]);
if (missing.length > 0) {
  console.error(`Set ${missing.join(', ')}.`);
  process.exit(1);
}

const crm = createClient({
  baseUrl: BASE_URL,
  organizationId: ORGANIZATION,
  // Renewed by another process: see docs/machines.md.
  token: () => readFileSync(LEADS_TOKEN_FILE, 'utf8').trim(),
  retry: { attempts: 8 },
});

/** `form_id` is a UUID that the page made when it showed the form: the same form is the same lead. */
const leadOf = ({ form_id, name, email, company }) => ({
  external_id: form_id && `form-${form_id}`,
  contact_name: name,
  email,
  company_name: company || undefined,
  pipeline_id: PIPELINE,
  tags: ['website'],
});

const parsed = (json) => {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
};

const server = createServer(async (request, response) => {
  const answer = (status, body) => response.writeHead(status).end(JSON.stringify(body));
  try {
    if (request.method !== 'POST') return answer(405, {});
    if (!(Number(request.headers['content-length']) <= longestBody)) return answer(413, {});
    const form = parsed(await text(request));
    if (!form) return answer(400, {});
    const lead = leadOf(form);
    const { data } = await crm.post('/leads/upsert', { body: { match: 'external_id', lead } });
    answer(200, { outcome: data.outcome });
  } catch (error) {
    // Someone who is known already need not know that.
    if (error instanceof ApiError && error.code === 'duplicate_lead') return answer(200, {});
    answer(error instanceof ApiError && error.status < 500 ? 400 : 503, {});
  }
});
server.listen(Number(PORT), () => console.log(`Listening on port ${server.address().port}`));
