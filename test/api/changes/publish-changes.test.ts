import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { change } from '../../../lib/changes/change.ts';
import { diffLeads } from '../../../lib/leads/history.ts';
import { eventsUntil, inFeedOrder } from '../../support/events-out.ts';
import { feedStart } from '../../support/feed.ts';
import { provision } from '../../support/organization.ts';

test('the documented examples are changes, and whoever applies that of a new lead to nothing has the lead', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/changes.md'), 'utf8');
  const blocks = [...page.matchAll(/```json\n(.*?)```/gs)];
  const examples = blocks.map(([, json = '']) => JSON.parse(json));
  for (const example of examples) expect(z.safeParse(change, example).error).toBeUndefined();
  const types = examples.map(({ type }) => type);
  expect(types).toEqual(['lead.created', 'wallet.changed']);
  const lead: Record<string, unknown> = { tags: [] };
  for (const { field, from, to } of examples[0].changes) {
    expect(from, field).toEqual(lead[field] ?? null);
    lead[field] = to;
  }
  expect(lead).toMatchObject({ contact_name: 'Maria Silva', stage: 'new', tags: ['inbound'] });
});

test('a wallet with its first stars, and a new lead, are one event each, with who did what', async () => {
  const organization = await provision({ wallet: { pack_stars: 7 } });
  const start = await feedStart(organization, { firstStars: true });
  const fields = { email: 'maria@example.com', tags: ['inbound'], value_cents: 2 ** 53 - 1 };
  const input = { contact_name: 'Maria', pipeline_id: organization.pipelineId, ...fields };
  const { body: lead, headers } = await organization.post('/leads', input, { role: 'agent' });
  const sent = await eventsUntil(organization.id, ({ detail }) => detail.lead_id === lead.id);
  const isEvent = {
    event_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/),
    feed_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/),
    organization_id: organization.id,
    version: 1,
  };
  const made = inFeedOrder(sent).at(-1);
  const opening = sent.find(({ detail }) => detail.type === 'wallet.changed');
  expect(opening!.detail).toMatchObject({
    ...isEvent,
    type: 'wallet.changed',
    user_id: 'platform',
    entry: {
      type: 'organization.provisioned',
      event_id: organization.id,
      monthly_change: 0,
      pack_change: 7,
      monthly_after: 0,
      pack_after: 7,
    },
  });
  expect(made).toEqual({
    source: 'leads-and-stars',
    'detail-type': 'lead.created',
    detail: {
      ...isEvent,
      sequence: start + 1,
      type: 'lead.created',
      at: lead.created_at,
      lead_id: lead.id,
      user_id: organization.users.agent,
      request_id: headers.get('x-request-id'),
      changes: diffLeads(undefined, lead),
    },
  });
  // A change that comes after all of it is the control.
  const { id } = await organization.lead();
  const all = await eventsUntil(organization.id, ({ detail }) => detail.lead_id === id);
  expect(all).toHaveLength(start + 2);
});
