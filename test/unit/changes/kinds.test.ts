import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  type ChangeType,
  change,
  changeTypes,
  readableTypes,
  toHiddenChange,
  toTold,
  typesOf,
  usualTypes,
} from '../../../lib/changes/change.ts';
import { rolePermissions } from '../../../lib/operations/permissions.ts';
import { type OutboxName, ordinal, places } from '../../../lib/table/keys.ts';

const ids = {
  organizationId: randomUUID(),
  leadId: randomUUID(),
  noteId: randomUUID(),
  userId: randomUUID(),
  keyId: randomUUID(),
  pipelineId: randomUUID(),
  webhookId: randomUUID(),
  version: ordinal(3),
  index: '0',
};

/** Where an item of each kind is, and what it has beside its type. */
const kinds: Record<OutboxName, [{ pk: string; sk: string }, object]> = {
  leads: [places.historyEntry.key(ids), { changes: [] }],
  notes: [places.noteHistoryEntry.key(ids), { text: 'Called' }],
  wallets: [places.ledgerEntry.key(ids), { event_id: 'e', wallet: {} }],
  notices: [places.notice.key(ids), { threshold: 1, available_stars: 1 }],
  organizations: [places.organizationFact.key(ids), { changed: ['name'] }],
  members: [places.memberFact.key(ids), { changed: ['role'], member_role: 'agent' }],
  apiKeys: [places.apiKeyFact.key(ids), { changed: ['role'], key_role: 'agent' }],
  pipelines: [places.pipelineFact.key(ids), { changed: ['name'] }],
  fields: [places.fieldFact.key(ids), { changed: ['label'], field: 'source', archived: false }],
  webhooks: [places.webhookFact.key(ids), { changed: ['url'], status: 'active' }],
  spendLimits: [
    places.spendLimitFact.key(ids),
    { changed: ['stars'], kind: 'spender', name: 'ada' },
  ],
  alerts: [places.alertFact.key(ids), { changed: ['thresholds'] }],
};

const limitNotice = {
  ...{ kind: 'spender', name: 'ada', by_default: true, period: 'day', stars: 9, used_stars: 9 },
  ...{ alert_at: 5, resets_at: '2026-11-22T00:00:00.000Z' },
};

const numbered = {
  feed: randomUUID(),
  sequence: 7,
  numbered_at: 1,
  version: 3,
  at: '2026-11-21T02:48:07.618Z',
};
const stars = {
  monthly_lapsed: 0,
  monthly_change: 0,
  pack_change: -1,
  monthly_after: 0,
  pack_after: 0,
};

const itemOf = (name: OutboxName, type: ChangeType = typesOf(name)[0]!) => {
  const [key, attributes] = kinds[name];
  const stored = type === 'wallet.changed' ? { ...stars, type: 'stars.spent' } : { type };
  const ofLimit = type.startsWith('spend_limit.') && name === 'notices' ? limitNotice : {};
  return {
    ...key,
    ...numbered,
    ...attributes,
    ...ofLimit,
    ...stored,
    user_id: ids.userId,
    request_id: 'r',
  };
};

const names = Object.keys(kinds) as OutboxName[];

const all = names.flatMap((name) =>
  typesOf(name).map((type): [ChangeType, OutboxName] => [type, name]),
);

test.each(all)('an item of type %s in %s is told as its schema says', (type, name) => {
  const { change: told } = toTold(itemOf(name, type));
  expect(z.safeParse(change, told).error).toBeUndefined();
  expect(told).toMatchObject({
    type,
    user_id: ids.userId,
    request_id: 'r',
    version: 3,
    sequence: 7,
  });
});

test('each type is of one kind alone', () => {
  expect(new Set(changeTypes).size).toBe(all.length);
});

test('changes of one thing are in one lane, notes with their lead, notices with their wallet', () => {
  const lanes = Map.groupBy(names, (name) => toTold(itemOf(name)).lane);
  const together = [...lanes.values()].filter(({ length }) => length > 1);
  expect(together).toEqual([
    ['leads', 'notes'],
    ['wallets', 'notices'],
  ]);
});

test.each(['members', 'apiKeys', 'pipelines', 'webhooks', 'leads'] as const)(
  'two of %s have a lane each, as have those of two organizations',
  (name) => {
    const key =
      places[
        (
          {
            members: 'memberFact',
            apiKeys: 'apiKeyFact',
            pipelines: 'pipelineFact',
            webhooks: 'webhookFact',
            leads: 'historyEntry',
          } as const
        )[name]
      ];
    const other = Object.fromEntries(
      Object.entries(ids).map(([one, id]) => [
        one,
        /organ|version|index/.test(one) ? id : randomUUID(),
      ]),
    ) as typeof ids;
    const lanes = [ids, other, { ...ids, organizationId: randomUUID() }].map(
      (one) => toTold({ ...itemOf(name), ...key.key(one) }).lane,
    );
    expect(new Set(lanes).size).toBe(3);
  },
);

test('who names no types is told of leads, notes and stars, and of no setting', () => {
  const kindsOf = new Set(usualTypes.map((type) => all.find(([one]) => one === type)?.[1]));
  expect([...kindsOf]).toEqual(['leads', 'notes', 'wallets', 'notices']);
});

test('support reads all changes but those of keys, and owners read all', () => {
  const of = (role: 'owner' | 'support') =>
    readableTypes((permission) => rolePermissions[role].has(permission));
  expect(of('owner')).toEqual(changeTypes);
  expect(of('support')).toEqual(changeTypes.filter((type) => !type.startsWith('api_key.')));
});

test('a change that is hidden tells its place and time, and nothing else', () => {
  const { change: told } = toTold(itemOf('apiKeys'));
  expect(toHiddenChange(told)).toEqual({
    sequence: 7,
    feed_id: numbered.feed,
    at: numbered.at,
    organization_id: ids.organizationId,
    type: 'hidden',
  });
});
