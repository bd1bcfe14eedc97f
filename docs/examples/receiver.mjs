// Receives webhooks, verifies them, and keeps a copy of the leads: docs/webhooks.md.

import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET, BASE_URL, TOKEN, ORGANIZATION, PORT = 4000 } = process.env;
const verifier = new Webhook(WEBHOOK_SECRET);
// In a real service: tables, and one transaction for all that a change does.
const done = new Set();
const copies = new Map();

const readLead = async (id) => {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'X-Organization-Id': ORGANIZATION };
  const response = await fetch(`${BASE_URL}/leads/${id}`, { headers, redirect: 'manual' });
  if (response.status === 404) return { lead: null };
  if (!response.ok) throw new Error(`GET /leads/${id} is answered ${response.status}`);
  const {
    fields,
    id: _id,
    created_at: _created,
    updated_at: _updated,
    ...lead
  } = await response.json();
  for (const key in fields) lead[`fields.${key}`] = fields[key];
  return { version: Number(JSON.parse(response.headers.get('etag'))), lead };
};

// A change is a difference: it is applied to the version before it. Without that, the lead is read anew.
const copyLead = async ({ type, at, lead_id: id, version, changes, erased }) => {
  const known = copies.get(id) ?? { version: 0, lead: {} };
  if (version <= known.version) return;
  const isNext = version === known.version + 1 && known.lead && !erased;
  const lead = { ...known.lead };
  for (const { field, to } of changes) {
    lead[field] = to;
    if (field === 'stage' || field === 'pipeline_id') lead.stage_entered_at = at;
  }
  const isGone = type === 'lead.deleted' || type === 'lead.erased';
  const next = {
    version,
    ...(isGone && isNext ? { lead: null } : isNext ? { lead } : await readLead(id)),
  };
  if (next.version > (copies.get(id)?.version ?? 0)) copies.set(id, next);
};

const take = async (change) => {
  if (done.has(change.event_id)) return;
  if (change.type.startsWith('lead.')) await copyLead(change);
  const { type, sequence = '', lead_id: id = '' } = change;
  console.log(type, sequence, id, JSON.stringify(copies.get(id) ?? ''));
  done.add(change.event_id);
};

createServer(async (request, response) => {
  let body = '';
  let change;
  try {
    for await (const part of request.setEncoding('utf8')) body += part;
    change = verifier.verify(body, request.headers);
  } catch {
    return response.writeHead(401).end();
  }
  const status = await take(change).then(
    () => 204,
    () => 500,
  );
  return response.writeHead(status).end();
}).listen(PORT);
