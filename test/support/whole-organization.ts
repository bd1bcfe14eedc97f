import { randomUUID } from 'node:crypto';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import { timeInKey } from '../../lib/billing/writer/waiting/waiting-request.ts';
import { outbox, places } from '../../lib/table/keys.ts';
import type { Place } from '../../lib/table/place.ts';
import { type Item, toKey } from '../../lib/table/table.ts';
import type { Answer } from './api.ts';
import { capture, hold, putEvent, spend } from './billing.ts';
import { bodyOf, deliver, stripeBodyOf } from './events-in.ts';
import { eventually } from './eventually.ts';
import { type Organization, provision } from './organization.ts';
import { stripeEvent, subscription, versions } from './stripe-events.ts';
import { table } from './table.ts';

// An organization with something of every kind: what there is, what was, and what is found only by something else.

const insistOn = async (answering: Promise<Answer>): Promise<Answer> => {
  const answer = await answering;
  if (answer.status >= 300) throw new Error(`refused: ${answer.text}`);
  return answer;
};

const deliverAll = async (body: string): Promise<void> => {
  if ((await deliver([body])).length > 0) throw new Error(`not delivered: ${body}`);
};

/** Its content is the same for the same word, which no other organization has. */
export const wholeOrganization = async (word: string, leads = 3): Promise<Organization> => {
  const own = await provision({ name: `Cedro ${word}`, wallet: { pack_stars: 500 } });
  const keyed = () => ({ headers: { 'idempotency-key': randomUUID() } });
  const post = (path: string, body: unknown) => insistOn(own.post(path, body, keyed()));
  const stages = [{ name: 'new', outcome: 'open' }];
  const pipeline = (await post('/pipelines', { name: word, stages })).body.id;
  await post('/fields', { key: 'source', label: word, type: 'text', filterable: true });
  await post('/fields', { key: 'old', label: word, type: 'text' });
  const lead = async (i: number, more: object = {}) => {
    const fields = {
      contact_name: `Maria ${word} ${i}`,
      company_name: `Padaria ${i}`,
      email: `maria-${i}@${word}.example`,
      phone: `+55119876${String(10_000 + i)}`,
      external_id: `crm-${word}-${i}`,
      tags: ['inbound', word],
      value_cents: 100 + i,
      fields: { source: `${word} ${i}`, old: 'x' },
      owner_id: own.users.agent,
      ...more,
    };
    return (await post('/leads', { pipeline_id: own.pipelineId, ...fields })).body.id as string;
  };
  const note = async (id: string, text: string) =>
    (await post(`/leads/${id}/notes`, { text })).body.id as string;
  const ids: string[] = [];
  for (let i = 0; i < leads; i++) ids.push(await lead(i));
  await note(ids[0]!, `${word} calls back`);
  const gone = await note(ids[0]!, `${word} was wrong`);
  await insistOn(own.delete(`/leads/${ids[0]}/notes/${gone}`));
  await insistOn(own.patch(`/leads/${ids[1]}`, { stage: 'won', email: `other@${word}.example` }));
  // Leads that are in no list any more: deleted, merged and erased.
  const [deleted, survivor, merged, erased] = [
    await lead(100),
    await lead(101),
    await lead(102, { pipeline_id: pipeline }),
    await lead(103),
  ];
  await note(deleted, `${word} is gone`);
  await note(merged, `${word} twice`);
  await insistOn(own.delete(`/leads/${deleted}`));
  await post(`/leads/${survivor}/merge`, { from: merged });
  for (let status = 0; status !== 204; ) {
    status = (await own.post(`/leads/${erased}/erase`, undefined)).status;
    if (status > 204) throw new Error(`not erased: ${status}`);
  }
  await insistOn(own.patch('/fields/old', { archived: true }));

  const key = (await post('/keys', { name: word, role: 'admin' })).body;
  const revoked = (await post('/keys', { name: word, role: 'agent' })).body.id;
  await insistOn(own.delete(`/keys/${revoked}`));
  await insistOn(own.get('/leads', { headers: { authorization: `Bearer ${key.key}` } }));
  const url = 'https://hooks.example.com/leads';
  await post('/webhooks', { url, types: ['stars.depleted'] });
  const hook = (await post('/webhooks', { url, types: ['stars.depleted'] })).body.id;
  await insistOn(own.delete(`/webhooks/${hook}`));
  await putRest(own.id, { webhookId: hook, leadId: deleted });
  await insistOn(own.delete(`/members/${own.users.billing}`));
  await insistOn(own.put('/billing/alerts', { thresholds: [568] }));

  const purchase = { type: 'pack.purchased', stars: 40, payment: `pi_${word}`, amount: 4000 };
  await insistOn(putEvent(own, purchase));
  const from = new Date();
  const until = new Date(from.getTime() + 30 * 24 * 60 * 60 * 1000);
  const line = { from, until, monthly_grant_stars: 30, tier: 'pro' };
  const paid = {
    subscription_id: `sub_${word}`,
    payment: `in_${word}`,
    amount: 100,
    lines: [line],
  };
  await deliverAll(bodyOf(own, { type: 'subscription.paid', ...paid }));
  // Whose a subscription is, is kept of what Stripe says alone.
  const metadata = { organization_id: own.id };
  const subscribed = subscription({ id: paid.subscription_id, metadata }, versions[0]);
  await deliverAll(stripeBodyOf(stripeEvent('customer.subscription.updated', subscribed)));
  const limit = { stars: 20, period: 'total' };
  await insistOn(own.put('/billing/limits/default/spender', limit));
  await insistOn(own.put(`/billing/limits/feature/${word}`, limit));
  await insistOn(own.delete(`/billing/limits/feature/${word}`));
  await insistOn(spend(own, 5, { reason: word, spender: word }));
  const holds = [randomUUID(), randomUUID()];
  for (const id of holds) await insistOn(hold(own, id, 7));
  await insistOn(capture(own, holds[0]!));
  await eventually(
    () => scanTable(own.id),
    (items) => isAtRest(items),
  );
  return own;
};

/** What there is by chance, or only where an endpoint is reached: of a webhook and a lead that are gone. */
const putRest = async (
  organizationId: string,
  { webhookId, leadId }: { webhookId: string; leadId: string },
): Promise<void> => {
  const userId = randomUUID();
  const now = Date.now();
  const expires_at = Math.ceil(now / 1000) + 3600;
  for (const [key, attributes] of [
    [places.requestCounter.key({ organizationId }), { clear_at: 0 }],
    [places.platformRequestCounter.key({ organizationId }), { clear_at: 0 }],
    [
      places.delivery.key({ organizationId, webhookId, deliveryId: randomUUID() }),
      {
        ...{
          event_id: randomUUID(),
          type: 'lead.created',
          sequence: 1,
          attempt: 1,
          outcome: 'delivered',
        },
        ...{ status: 204, error: null, duration_ms: 1, at: new Date(now).toISOString() },
        expires_at,
      },
    ],
    [places.recordTrace.key({ organizationId, leadId, userId, record: 'r' }), { expires_at }],
    [
      places.waitingRequest.key({ organizationId, time: timeInKey(now), id: 'killed' }),
      { updates: '[]', until: now, expires_at },
    ],
  ] as const) {
    const Item = { ...toKey(key), ...attributes };
    await table.send(new PutCommand({ TableName: inject('service').tableName, Item }));
  }
};

/** Whether all that happened has its number, and webhooks and usage have come that far: so nothing writes there any more. */
const isAtRest = (items: readonly Item[]): boolean => {
  const facts = items.filter(({ pk }) =>
    Object.values(outbox).some((prefix) => String(pk).startsWith(prefix)),
  );
  const webhooks = items.filter(({ pk }) => String(pk).startsWith(places.webhook.prefix));
  const entries = items.filter(({ pk }) => String(pk).startsWith(places.ledgerEntry.prefix));
  const usage = items.find((item) => places.usage.find(item as never));
  return (
    facts.every(({ sequence }) => sequence !== undefined) &&
    usage?.checkpoint === entries.length &&
    usage.lease_token === undefined &&
    webhooks.every(
      ({ checkpoint, lease_token }) => checkpoint === facts.length && lease_token === undefined,
    )
  );
};

/** What kind an item is of. */
export const kindOf = (item: Item): keyof typeof places =>
  (Object.entries<Place>(places).find(([, place]) => place.find(toKey(item))) ?? [])[0] as never;

/** Everything in the table, or what names an organization by its partition or its `organization_id`. */
export const scanTable = async (id?: string): Promise<Item[]> => {
  const all: Item[] = [];
  let start: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await table.send(
      new ScanCommand({
        TableName: inject('service').tableName,
        ConsistentRead: true,
        ExclusiveStartKey: start,
        ...(id && {
          FilterExpression: 'contains(pk, :id) OR organization_id = :id',
          ExpressionAttributeValues: { ':id': id },
        }),
      }),
    );
    all.push(...Items);
    start = LastEvaluatedKey;
  } while (start);
  return all;
};

/** Those that name one of these texts anywhere. */
export const naming = (items: readonly Item[], ...texts: string[]): Item[] =>
  items.filter((item) => {
    const json = JSON.stringify(item, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    return texts.some((text) => json.includes(text));
  });
