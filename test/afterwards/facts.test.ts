import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, inject, test } from 'vitest';
import { type OutboxName, outbox, places } from '../../lib/table/keys.ts';
import type { Place } from '../../lib/table/place.ts';
import { type Item, toKey } from '../../lib/table/table.ts';
import { eventually } from '../support/eventually.ts';
import { pastCommits } from '../support/organization.ts';
import { table } from '../support/table.ts';

// Looks at what all other tests have stored: that each thing's facts tell what it is. Alone, it finds nothing and fails.

interface Told {
  /** Where facts of these things are, and where the things themselves are. */
  facts: Place;
  thing: Place;
  /** The number of the last fact, as the thing has it. */
  numberOf: (thing: Item) => unknown;
  /** What of the thing its last fact has to tell. */
  stateOf?: (thing: Item) => object;
  toldState?: (last: Item) => object;
}

const version = ({ version }: Item) => version ?? 1;

/** Notices have no numbers of their own. */
const told: Record<Exclude<OutboxName, 'notices'>, Told> = {
  leads: { facts: places.historyEntry, thing: places.lead, numberOf: version },
  notes: { facts: places.noteHistoryEntry, thing: places.note, numberOf: version },
  wallets: { facts: places.ledgerEntry, thing: places.wallet, numberOf: version },
  organizations: {
    facts: places.organizationFact,
    thing: places.organization,
    numberOf: ({ facts }) => facts,
  },
  members: {
    facts: places.memberFact,
    thing: places.member,
    numberOf: version,
    stateOf: ({ role }) => ({ role }),
    toldState: ({ member_role: role }) => ({ role }),
  },
  apiKeys: {
    facts: places.apiKeyFact,
    thing: places.apiKeySettings,
    numberOf: version,
    stateOf: ({ key_role: role, revoked_at }) => ({ role, revoked: revoked_at !== undefined }),
    toldState: ({ key_role: role, type }) => ({ role, revoked: type === 'api_key.revoked' }),
  },
  pipelines: { facts: places.pipelineFact, thing: places.pipeline, numberOf: version },
  fields: { facts: places.fieldFact, thing: places.fields, numberOf: version },
  webhooks: {
    facts: places.webhookFact,
    thing: places.webhook,
    numberOf: ({ facts }) => facts,
    stateOf: ({ status }) => ({ status }),
    toldState: ({ status }) => ({ status }),
  },
  alerts: {
    facts: places.alertFact,
    thing: places.wallet,
    numberOf: ({ alerts_version }) => alerts_version,
  },
  spendLimits: {
    facts: places.spendLimitFact,
    thing: places.wallet,
    numberOf: ({ limits_version }) => limits_version,
  },
};

/** What is wrong between the things of a kind and their facts. */
const faultsOf = (items: readonly Item[], { facts, thing, ...of }: Told): string[] => {
  const byThing = new Map<string, Item[]>();
  for (const item of items) {
    const ids = facts.find(toKey(item));
    if (!ids) continue;
    const { pk, sk } = thing.key(ids);
    byThing.set(`${pk} ${sk}`, [...(byThing.get(`${pk} ${sk}`) ?? []), item]);
  }
  const gaps = [...byThing].flatMap(([name, all]) => {
    const numbers = all.map(({ sk }) => Number(String(sk).split('#')[0])).sort((a, b) => a - b);
    return numbers.some((number, i) => number !== i + 1) ? [`gap in the facts of ${name}`] : [];
  });
  const others = items.flatMap((item) => {
    if (!thing.find(toKey(item))) return [];
    const name = `${item.pk} ${item.sk}`;
    const all = byThing.get(name) ?? [];
    const last = all.toSorted((a, b) => (String(a.sk) < String(b.sk) ? -1 : 1)).at(-1);
    const number = Number(of.numberOf(item) ?? 0);
    if (number !== all.length) return [`${all.length} facts, not ${number}, of ${name}`];
    const [state, saying] = [of.stateOf?.(item) ?? {}, (last && of.toldState?.(last)) ?? {}];
    return JSON.stringify(state) === JSON.stringify(saying) ? [] : [`another state of ${name}`];
  });
  return [...gaps, ...others];
};

const organizationOf = (pk: unknown): string => String(pk).split('#')[1] ?? '';

/** What is wrong with the numbers of facts in their feeds. Of an organization that was erased its ledger alone may be left. */
const feedFaultsOf = (items: readonly Item[]): string[] => {
  const erased = new Set(
    items.flatMap((item) => {
      const ids = places.tombstone.find(toKey(item));
      return ids ? [ids.organizationId] : [];
    }),
  );
  const feeds = Map.groupBy(
    items.filter(
      ({ feed, pk }) =>
        feed &&
        !erased.has(organizationOf(pk)) &&
        Object.values(outbox).some((one) => String(pk).startsWith(one)),
    ),
    ({ feed }) => feed,
  );
  return [...feeds].flatMap(([feed, all]) => {
    const inOrder = all.toSorted((a, b) => Number(a.sequence) - Number(b.sequence));
    const gap = inOrder.find(({ sequence }, i) => sequence !== i + 1);
    const latest = new Map<unknown, string>();
    const late = inOrder.find(({ pk, sk }) => {
      const before = latest.get(pk) ?? '';
      latest.set(pk, String(sk));
      return String(sk) < before;
    });
    return [
      ...(gap ? [`gap in ${feed} before ${gap.sequence}`] : []),
      ...(late ? [`${late.pk} ${late.sk} came late into ${feed}`] : []),
    ];
  });
};

/** Every text in an item, at any depth. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
};

const settingPrefixes = Object.values(outbox).filter((prefix) => prefix.includes('_FACT'));
const isSettingFact = ({ pk }: Item) => settingPrefixes.some((one) => String(pk).startsWith(one));

/** Names of people and keys, secrets and addresses of webhooks: what no fact of a setting may tell. */
const untold = (items: readonly Item[]): Set<string> => {
  const texts = items.flatMap((item) => {
    const key = toKey(item);
    if (places.webhook.find(key)) return textsIn([item.url, item.secrets, item.description]);
    if (places.apiKey.find(key)) return textsIn([item.name, item.secrets]);
    const isNamed =
      places.member.find(key) ?? places.name.find(key) ?? places.organization.find(key);
    return isNamed ? textsIn(item.name) : [];
  });
  return new Set(texts.filter((text) => Number.isNaN(Date.parse(text))));
};

const leaksIn = (items: readonly Item[]): string[] => {
  const secret = untold(items);
  return items.filter(isSettingFact).flatMap(({ pk, sk, ...item }) =>
    // A limit's name is a spender or a feature, which each of their entries tells, too.
    textsIn(String(pk).startsWith(outbox.spendLimits) ? { ...item, name: '' } : item)
      .filter((text) => secret.has(text))
      .map((text) => `${pk} ${sk} tells ${text}`),
  );
};

let items: Item[] = [];
const committed: Item[] = [];

const readAll = async (): Promise<Item[]> => {
  const all: Item[] = [];
  let last: Item | undefined;
  do {
    const scan = { TableName: inject('service').tableName, ExclusiveStartKey: last };
    const { Items = [], LastEvaluatedKey } = await table.send(new ScanCommand(scan));
    for (const item of Items) all.push(item);
    last = LastEvaluatedKey;
  } while (last);
  return all;
};

beforeAll(async () => {
  items = await readAll();
  const names = new Map(
    items.flatMap((item) => {
      const ids = places.organization.find(toKey(item));
      return ids ? [[ids.organizationId, item.name]] : [];
    }),
  );
  /** Whether commits alone wrote what an organization has; one that only a test has put is none. */
  const isCommitted = ({ pk }: Item) => {
    const organizationId = organizationOf(pk);
    return names.has(organizationId) && names.get(organizationId) !== pastCommits;
  };
  for (const item of items) if (isCommitted(item)) committed.push(item);
});

test.each(Object.entries(told))(
  'the facts of %s are there without gaps, and tell the state',
  (name, one) => {
    expect(
      items.filter(({ pk }) => String(pk).startsWith(outbox[name as OutboxName])).length,
    ).toBeGreaterThan(0);
    expect(faultsOf(committed, one).slice(0, 20)).toEqual([]);
  },
);

test('each feed has its facts without gaps, those of one thing in their order', async () => {
  expect(items.some(({ feed }) => feed)).toBe(true);
  // What was changed last may get its number between two pages of a scan.
  const read = async () => feedFaultsOf(await readAll()).slice(0, 20);
  expect(await eventually(read, ({ length }) => length === 0)).toEqual([]);
  const fact = (sequence: number, version: string) => ({
    ...places.organizationFact.key({ organizationId: 'o', version }),
    feed: 'f',
    sequence,
  });
  expect(feedFaultsOf([fact(1, '1'), fact(2, '2')])).toEqual([]);
  expect(feedFaultsOf([fact(1, '1'), fact(3, '2')])).toEqual(['gap in f before 3']);
  const tombstone = { ...places.tombstone.key({ organizationId: 'o' }) };
  expect(feedFaultsOf([fact(1, '1'), fact(3, '2'), tombstone])).toEqual([]);
  expect(feedFaultsOf([fact(2, '1'), fact(1, '2')])).toHaveLength(1);
});

test('a thing that was written without a fact is found', () => {
  const ids = { organizationId: randomUUID(), userId: randomUUID() };
  const fact = (number: string, member_role?: string) => ({
    ...places.memberFact.key({ ...ids, version: number }),
    member_role,
  });
  const member = { ...places.member.key(ids), role: 'agent', version: 2 };
  const [one, two] = [fact('000000000001', 'admin'), fact('000000000002', 'agent')];
  expect(faultsOf([member, one, two], told.members)).toEqual([]);
  const name = `${member.pk} ${member.sk}`;
  expect(faultsOf([member, one], told.members)).toEqual([`1 facts, not 2, of ${name}`]);
  expect(faultsOf([{ ...member, role: 'owner' }, one, two], told.members)).toEqual([
    `another state of ${name}`,
  ]);
  expect(faultsOf([one, fact('000000000003')], told.members)).toEqual([
    `gap in the facts of ${name}`,
  ]);
});

test('no fact of a setting has a name, a secret or an address', () => {
  expect(items.filter(isSettingFact).length).toBeGreaterThan(0);
  expect(untold(items).size).toBeGreaterThan(0);
  expect(leaksIn(items)).toEqual([]);
  const organizationId = randomUUID();
  const name = { ...places.name.key({ organizationId, id: randomUUID() }), name: 'Helena Duarte' };
  const fact = places.organizationFact.key({ organizationId, version: '000000000001' });
  expect(leaksIn([name, { ...fact, changed: ['name'] }])).toEqual([]);
  expect(leaksIn([name, { ...fact, changed: ['Helena Duarte'] }])).toHaveLength(1);
});
