import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { operation as createSpends } from '../../functions/billing/create-spends.ts';
import { operation as putAlerts } from '../../functions/billing/put-alerts.ts';
import { operation as putHold } from '../../functions/billing/put-hold.ts';
import { operation as putSpend } from '../../functions/billing/put-spend.ts';
import { operation as putSpendLimit } from '../../functions/billing/put-spend-limit.ts';
import { operation as createField } from '../../functions/fields/create-field.ts';
import { operation as createApiKey } from '../../functions/keys/create-api-key.ts';
import { operation as rotateApiKey } from '../../functions/keys/rotate-api-key.ts';
import { operation as createLead } from '../../functions/leads/create-lead.ts';
import { operation as createLeads } from '../../functions/leads/create-leads.ts';
import { operation as deleteLead } from '../../functions/leads/delete-lead.ts';
import { operation as updateLead } from '../../functions/leads/update-lead.ts';
import { operation as createNote } from '../../functions/notes/create-note.ts';
import { operation as putMember } from '../../functions/organizations/put-member.ts';
import { operation as createPipeline } from '../../functions/pipelines/create-pipeline.ts';
import { operation as updatePipeline } from '../../functions/pipelines/update-pipeline.ts';
import { operation as createWebhook } from '../../functions/webhooks/create-webhook.ts';
import { operation as updateWebhook } from '../../functions/webhooks/update-webhook.ts';
import type { Sent } from '../../lib/admission/input.ts';
import { Memory } from '../../lib/admission/memory.ts';
import { endRequest, openRequest } from '../../lib/admission/open-request.ts';
import { start } from '../../lib/admission/run.ts';
import type { AnyOperation } from '../../lib/operations/kinds/operation.ts';
import { timeBoundsAfter } from '../../lib/table/retry.ts';
import type { Organization } from './organization.ts';
import { openTableAt } from './table.ts';

/** A request of the owner that was let in, and has read what it needs. */
export interface LateRequest {
  name: string;
  /** Does what is left of it, and tells whether it was done: it may be refused by now, or fail, as what it stood on is gone. */
  finish(): Promise<boolean>;
}

/** Requests of all kinds that write, each as far as it is before it writes. */
export const lateRequests = async (own: Organization, word: string): Promise<LateRequest[]> => {
  const post = async (path: string, body: object): Promise<string> =>
    (await own.post(path, body, { headers: { 'idempotency-key': randomUUID() } })).body.id;
  const newLead = () => ({
    contact_name: `Late ${word}`,
    email: `${randomUUID()}@${word}.example`,
    pipeline_id: own.pipelineId,
    tags: [word],
    value_cents: 5,
  });
  const [changed, deleted, noted] = [
    await post('/leads', newLead()),
    await post('/leads', newLead()),
    await post('/leads', newLead()),
  ];
  const url = 'https://hooks.example.com/leads';
  const webhook = await post('/webhooks', { url, types: ['lead.created'] });
  const key = await post('/keys', { name: word, role: 'agent' });
  const stages = [{ name: 'new', outcome: 'open' }];
  const all: [AnyOperation, Sent][] = [
    [createLead, { body: newLead(), idempotencyKey: randomUUID() }],
    [createLeads, { body: { leads: [newLead(), newLead()] }, idempotencyKey: randomUUID() }],
    [updateLead, { path: { lead_id: changed }, body: { stage: 'won', email: null } }],
    [deleteLead, { path: { lead_id: deleted } }],
    [createNote, { path: { lead_id: noted }, body: { text: word }, idempotencyKey: randomUUID() }],
    [createApiKey, { body: { name: word, role: 'agent' }, idempotencyKey: randomUUID() }],
    [rotateApiKey, { path: { key_id: key }, body: {}, idempotencyKey: randomUUID() }],
    [createWebhook, { body: { url, types: ['lead.created'] }, idempotencyKey: randomUUID() }],
    [updateWebhook, { path: { webhook_id: webhook }, body: { types: ['lead.deleted'] } }],
    [createPipeline, { body: { name: word, stages }, idempotencyKey: randomUUID() }],
    [updatePipeline, { path: { pipeline_id: own.pipelineId }, body: { name: `${word} b` } }],
    [createField, { body: { key: 'late', label: word, type: 'text' } }],
    [putMember, { path: { user_id: randomUUID() }, body: { role: 'agent' } }],
    [putAlerts, { body: { thresholds: [3] } }],
    [putSpendLimit, { path: { kind: 'feature', name: word }, body: { stars: 9, period: 'total' } }],
    [putSpend, { path: { event_id: randomUUID() }, body: { stars: 1, spender: word } }],
    [createSpends, { body: { spends: [{ event_id: randomUUID(), stars: 1 }] } }],
    [putHold, { path: { hold_id: randomUUID() }, body: { stars: 1, expires_in_seconds: 3600 } }],
  ];
  return Promise.all(all.map(([operation, sent]) => begin(own, operation, sent)));
};

const begin = async (
  own: Organization,
  operation: AnyOperation,
  sent: Sent,
): Promise<LateRequest> => {
  const { tableEndpoint, tableName } = inject('service');
  const table = openTableAt(tableEndpoint, tableName).during(timeBoundsAfter(60_000));
  const times = { requestId: randomUUID(), startedAt: Date.now() };
  const request = openRequest(times, table, new Memory());
  const caller = { userId: own.users.owner };
  const input = { isLarge: false, read: () => sent };
  const admitted = await start(operation, caller, own.id, input, request);
  const finish = async () => {
    try {
      await admitted.reply();
      return true;
    } catch {
      return false;
    } finally {
      await endRequest(request);
    }
  };
  return { name: operation.id, finish };
};
