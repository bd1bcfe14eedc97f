import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import * as z from 'zod/mini';
import { change } from '../../../lib/changes/change.ts';
import { diffLeads } from '../../../lib/leads/history.ts';
import { eventsUntil, type Sent, sentSoFar } from '../../support/events-out.ts';
import { eventually } from '../../support/eventually.ts';
import { invoke, type Organization, provision } from '../../support/organization.ts';

const documented = async () => {
  const text = await readFile(join(import.meta.dirname, '../../../docs/changes.md'), 'utf8');
  return [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => JSON.parse(json));
};

test('the documented examples are changes', async () => {
  const examples = await documented();
  for (const example of examples) expect(z.safeParse(change, example).error).toBeUndefined();
  expect(examples.map(({ type }) => type)).toEqual([
    'lead.created',
    'note.created',
    'wallet.changed',
    'stars.low',
  ]);
});

test('whoever applies the documented lead.created to nothing has the lead', async () => {
  const [{ changes }] = await documented();
  const lead: Record<string, unknown> = { tags: [] };
  for (const { field, from, to } of changes) {
    expect(from, field).toEqual(lead[field] ?? null);
    lead[field] = to;
  }
  expect(lead).toMatchObject({ contact_name: 'Maria Silva', stage: 'new', tags: ['inbound'] });
});

const ofLead =
  (leadId: string) =>
  ({ detail }: Sent): boolean =>
    detail.lead_id === leadId;

/** Every event so far; a lead created now is the control that comes after all of them. */
const allEvents = async (organization: Organization): Promise<Sent[]> => {
  const control = await organization.lead();
  const events = await eventsUntil(organization.id, ofLead(control.id));
  return events.filter((event) => !ofLead(control.id)(event));
};

test('a lead that is created is one event, with who did what', async () => {
  const organization = await provision();
  const lead = await organization.lead(
    { email: 'maria@example.com', tags: ['inbound'], value_cents: 2 ** 53 - 1 },
    { role: 'agent' },
  );
  expect(await allEvents(organization)).toEqual([
    {
      source: 'leads-and-stars',
      'detail-type': 'lead.created',
      detail: {
        event_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/),
        sequence: 1,
        feed_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/),
        type: 'lead.created',
        at: lead.created_at,
        organization_id: organization.id,
        lead_id: lead.id,
        version: 1,
        user_id: organization.users.agent,
        changes: diffLeads(undefined, lead),
      },
    },
  ]);
});

test('a wallet that starts with stars is one event, with its entry', async () => {
  const organization = await provision({ wallet: { pack_stars: 7 } });
  expect(await allEvents(organization)).toMatchObject([
    {
      'detail-type': 'wallet.changed',
      detail: {
        type: 'wallet.changed',
        organization_id: organization.id,
        version: 1,
        entry: {
          type: 'organization.provisioned',
          event_id: organization.id,
          monthly_change: 0,
          pack_change: 7,
          monthly_after: 0,
          pack_after: 7,
        },
      },
    },
  ]);
});

describe('publishChanges', () => {
  let organization: string;
  beforeEach(() => {
    organization = randomUUID();
  });
  const leadId = randomUUID();
  const at = '2026-11-21T02:48:07.618Z';

  const feedId = randomUUID();

  const record = (pk: string, sk: string, image: object) => {
    const OldImage = { pk: { S: pk }, sk: { S: sk }, at: { S: at }, ...image };
    const NewImage = { feed: { S: feedId }, sequence: { N: '7' }, ...OldImage };
    const Keys = { pk: { S: pk }, sk: { S: sk } };
    return { eventName: 'MODIFY', dynamodb: { Keys, OldImage, NewImage } };
  };

  const history = (version: number, type: string) =>
    record(`HISTORY#${organization}#${leadId}`, String(version).padStart(12, '0'), {
      version: { N: String(version) },
      type: { S: type },
      user_id: { S: organization },
      changes: {
        L: [{ M: { field: { S: 'stage' }, from: { S: 'new' }, to: { NULL: true } } }],
      },
    });

  /** Gives it records; what the bus has then, once it has as many events of the organization. */
  const events = async (count: number, ...records: object[]) => {
    const { failed, payload } = await invoke('publishChanges', { Records: records });
    expect([failed, payload]).toEqual([false, { batchItemFailures: [] }]);
    const sent = await eventually(
      () => sentSoFar(organization),
      ({ length }) => length >= count,
    );
    for (const { detail, ...event } of sent) {
      expect(z.safeParse(change, detail).error).toBeUndefined();
      expect(event).toEqual({ source: 'leads-and-stars', 'detail-type': detail.type });
    }
    return sent.map(({ detail }) => detail);
  };

  test('gives a record the same ids each time, and no other record these', async () => {
    await events(1, history(1, 'lead.created'));
    const sent = await events(3, history(1, 'lead.created'), history(2, 'lead.updated'));
    const [first, again, next] = sent;
    expect(again).toEqual(first);
    expect(next.event_id).not.toBe(first.event_id);
  });

  test('sets aside what it can make no event of, and goes on', async () => {
    const { dynamodb, ...rest } = history(1, 'lead.created');
    const { sequence: _, ...NewImage } = dynamodb.NewImage;
    const unnumbered = { ...rest, dynamodb: { ...dynamodb, NewImage } };
    const next = history(2, 'lead.updated');
    const sent = await events(1, record('ORG#1', 'WALLET', {}), unnumbered, next);
    expect(sent.map(({ type }) => type)).toEqual(['lead.updated']);
    const log = readFileSync(inject('service').logFile, 'utf8').split('\n');
    const aside = log
      .filter((line) => line.includes('EventsOutUndelivered') && line.includes(organization))
      .map((line) => JSON.parse(JSON.parse(line).message.body));
    expect(aside).toEqual([
      {
        why: 'not_described',
        organization_id: organization,
        feed_id: feedId,
        pk: `HISTORY#${organization}#${leadId}`,
        sk: '000000000001',
      },
    ]);
  });
});
