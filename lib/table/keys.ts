import { createHash } from 'node:crypto';

export interface Key {
  pk: string;
  sk: string;
}

/** The partition of an organization: itself, and the small items that are read with it, such as members. */
const organization = (organizationId: string) => `ORG#${organizationId}`;

export const organizationKey = (organizationId: string): Key => ({
  pk: organization(organizationId),
  sk: 'ORGANIZATION',
});

export const memberKey = (organizationId: string, userId: string): Key => ({
  pk: organization(organizationId),
  sk: `MEMBER#${userId}`,
});

/** Sort key of a user's membership: the same in every organization. */
export const memberSort = (userId: string): string => memberKey('', userId).sk;

/** The organization whose item has this partition key. */
export const organizationIdOf = (pk: string): string => pk.slice(organization('').length);

/** A member who was removed: keeps the version of the membership, for ever. */
export const formerMemberKey = (organizationId: string, userId: string): Key => ({
  pk: organization(organizationId),
  sk: `FORMER#${userId}`,
});

export const pipelineKey = (organizationId: string, pipelineId: string): Key => ({
  pk: organization(organizationId),
  sk: `PIPELINE#${pipelineId}`,
});

/** An API key of the organization. */
export const apiKeyKey = (organizationId: string, apiKeyId: string): Key => ({
  pk: organization(organizationId),
  sk: `KEY#${apiKeyId}`,
});

/** Prefix of the partition of platform keys. No function may write it. */
export const platformPrefix = 'PLATFORM#';

/** A key of the company's own backend, which acts for all organizations. */
export const platformKeyKey = (platformKeyId: string): Key => ({
  pk: `${platformPrefix}KEYS`,
  sk: `KEY#${platformKeyId}`,
});

/** The definitions of all custom fields. */
export const fieldsKey = (organizationId: string): Key => ({
  pk: organization(organizationId),
  sk: 'FIELDS',
});

export const webhookKey = (organizationId: string, webhookId: string): Key => ({
  pk: organization(organizationId),
  sk: `WEBHOOK#${webhookId}`,
});

/** Where all items of a kind are in an organization: their partition key, and the prefix of their sort keys. */
export const organizationKeys = (
  organizationId: string,
  kind: 'PIPELINE' | 'MEMBER' | 'WEBHOOK' | 'KEY',
) => ({
  pk: organization(organizationId),
  prefix: `${kind}#`,
});

export const walletKey = (organizationId: string): Key => ({
  pk: organization(organizationId),
  sk: 'WALLET',
});

/** Partitions of the counters of requests: the only items that every function may write. */
export const requestCounters = 'REQUESTS#';

/** Counts the requests of an organization. Has its own limit, if it has one. */
export const requestCounterKey = (organizationId: string): Key => ({
  pk: `${requestCounters}${organizationId}`,
  sk: 'COUNTER',
});

/** When an API key was used last. Beside the counter, because every function may write there. */
export const apiKeyUseKey = (organizationId: string, apiKeyId: string): Key => ({
  pk: `${requestCounters}${organizationId}`,
  sk: `KEY#${apiKeyId}`,
});

/** When a platform key was used last. */
export const platformKeyUseKey = (platformKeyId: string): Key => ({
  pk: `${requestCounters}${platformPrefix}`,
  sk: `KEY#${platformKeyId}`,
});

/** The sort key of a guard: an item that makes something unique, since only one can be written. */
export const guard = 'GUARD';

/** A number as a sort key. */
const ordinal = (value: number): string => String(value).padStart(12, '0');
export const ordinalPattern = /^\d{12}$/;

/**
 * Prefixes of the partitions to which items are only ever added. Each item is one change in the organization's
 * feed, and one event. The stream is filtered by these prefixes.
 */
export const outbox = {
  history: 'HISTORY#',
  ledger: 'LEDGER#',
  notices: 'NOTICE#',
  notes: 'NOTE_HISTORY#',
} as const;

/** A ledger entry, by the version that it gave the wallet: the oldest comes first. */
export const ledgerEntryKey = (organizationId: string, version: number): Key => ({
  pk: `${outbox.ledger}${organizationId}`,
  sk: ordinal(version),
});

/** A notice that goes with a ledger entry, by the entry's version and its place among the notices of that version. */
export const noticeKey = (organizationId: string, version: number, place: number): Key => ({
  pk: `${outbox.notices}${organizationId}`,
  sk: `${ordinal(version)}#${place}`,
});

/**
 * All leads of an organization. The sort key is the lead's UUIDv7, so descending is newest first.
 */
export const leadKey = (organizationId: string, leadId: string): Key => ({
  pk: `LEADS#${organizationId}`,
  sk: leadId,
});

/** What happened to a lead, by its version after each change. */
export const historyKey = (organizationId: string, leadId: string, version: number): Key => ({
  pk: `${outbox.history}${organizationId}#${leadId}`,
  sk: ordinal(version),
});

/** The notes of a lead, by their UUIDv7. */
export const noteKey = (organizationId: string, leadId: string, noteId: string): Key => ({
  pk: `NOTES#${organizationId}#${leadId}`,
  sk: noteId,
});

/** What happened to a note, by its version after each change. */
export const noteChangeKey = (
  organizationId: string,
  leadId: string,
  noteId: string,
  version: number,
): Key => ({
  pk: `${outbox.notes}${organizationId}#${leadId}#${noteId}`,
  sk: ordinal(version),
});

/**
 * A trace leads from a lead to what nothing else leads to, so that erasing the lead finds it: a deleted note, or an
 * answer that is kept under an idempotency key and has fields of the lead.
 */
export const traceKey = (organizationId: string, leadId: string, trace: string): Key => ({
  pk: `TRACES#${organizationId}#${leadId}`,
  sk: trace,
});
const [recordTrace, noteTrace] = ['RECORD#', 'NOTE#'];
export const recordTraceKey = (
  organizationId: string,
  leadId: string,
  userId: string,
  record: string,
): Key => traceKey(organizationId, leadId, `${recordTrace}${userId}#${record}`);
export const noteTraceKey = (organizationId: string, leadId: string, noteId: string): Key =>
  traceKey(organizationId, leadId, `${noteTrace}${noteId}`);

/** What a trace leads to: the record of an answer, or a deleted note. */
export const parseTrace = (
  organizationId: string,
  sk: string,
): { record: Key } | { noteId: string } => {
  if (sk.startsWith(noteTrace)) return { noteId: sk.slice(noteTrace.length) };
  const [userId = '', ...record] = sk.slice(recordTrace.length).split('#');
  return { record: idempotencyKey(organizationId, userId, record.join('#')) };
};

/** The number of the last change in a feed. */
export const feedHeadKey = (organizationId: string, feedId: string): Key => ({
  pk: `FEED#${organizationId}`,
  sk: feedId,
});

/** An entry of a lead's or a note's history, or of a wallet's ledger: its partition, and the version that it made. */
export interface Entry {
  pk: string;
  version: number;
}

export const entryKey = ({ pk, version }: Entry): Key => ({ pk, sk: ordinal(version) });

/** The entry that an item of the outbox is. A notice belongs to its ledger entry. Undefined for any other item. */
export const outboxEntry = ({ pk, sk }: Key): (Entry & { organizationId: string }) | undefined => {
  const prefix = Object.values(outbox).find((one) => pk.startsWith(one));
  if (!prefix) return undefined;
  const version = Number(sk.split('#')[0]);
  const [organizationId = ''] = pk.slice(prefix.length).split('#');
  const ofNotice = prefix === outbox.notices;
  return { organizationId, version, pk: ofNotice ? ledgerEntryKey(organizationId, 0).pk : pk };
};

/**
 * Counts the leads of a stage and sums up their value, in one of several shards, so that leads that are created at
 * the same time seldom wait for one another.
 */
export const counterKey = (
  organizationId: string,
  pipelineId: string,
  stage: string,
  shard: number,
): Key => ({ pk: `COUNTERS#${organizationId}#${pipelineId}`, sk: `${shard}#${stage}` });

/** A copy of each lead under each of its tags. */
export const tagKey = (organizationId: string, tag: string, leadId: string): Key => ({
  pk: `TAG#${organizationId}#${tag}`,
  sk: leadId,
});

/**
 * A copy of each lead under each value of the custom fields by which leads are filtered. The key has a digest of the
 * value: a text of 500 characters is too long for a key.
 */
export const fieldValueKey = (
  organizationId: string,
  field: string,
  value: string,
  leadId: string,
): Key => ({
  pk: `FIELD#${organizationId}#${field}#${indexPartition(organizationId, field, value)}`,
  sk: leadId,
});

/**
 * A lead of a pipeline that has this normalized contact. Where contacts are unique, the sort key is `GUARD`, so that
 * at most one lead has it; elsewhere it is the lead's id.
 */
export const contactKey = (
  organizationId: string,
  pipelineId: string,
  field: string,
  value: string,
  holder = guard,
): Key => ({ pk: `CONTACT#${organizationId}#${pipelineId}#${field}#${value}`, sk: holder });

/** Guard: at most one lead of an organization has this external id. */
export const externalIdKey = (organizationId: string, externalId: string): Key => ({
  pk: `EXTERNAL#${organizationId}#${externalId}`,
  sk: guard,
});

/** A lead under each of its words. Words with the same first character share a partition, in order. */
export const wordKey = (organizationId: string, word: string, leadId: string): Key => ({
  pk: `WORDS#${organizationId}#${[...word][0]}`,
  // No word has a space.
  sk: `${word} ${leadId}`,
});

/**
 * Guard: an event changes a wallet once. Keeps the answer, and what a refund of the event needs. A hold has one too,
 * under its own id, for the same time.
 */
export const walletEventKey = (organizationId: string, eventId: string): Key => ({
  pk: `EVENT#${organizationId}#${eventId}`,
  sk: guard,
});

/** An attempt to deliver to a webhook, by its UUIDv7. */
export const deliveryKey = (
  organizationId: string,
  webhookId: string,
  deliveryId: string,
): Key => ({ pk: `DELIVERIES#${organizationId}#${webhookId}`, sk: deliveryId });

/** Says when to look at a webhook next. One partition has those of all organizations. */
export const dueKey = (organizationId: string, webhookId: string): Key => ({
  pk: 'DUE',
  sk: `${organizationId}#${webhookId}`,
});

/** Prefix of wakes' partitions: a wake asks to look at an organization's webhooks. The stream is filtered by it. */
export const wakePrefix = 'WAKE#';
export const wakeKey = (organizationId: string, id: string): Key => ({
  pk: `${wakePrefix}${organizationId}`,
  sk: id,
});

/** The organization of a wake; undefined for another item. */
export const organizationOfWake = ({ pk }: Key): string | undefined =>
  pk.startsWith(wakePrefix) ? pk.slice(wakePrefix.length) : undefined;

/** Open holds of an organization, the soonest to expire first: by milliseconds since the epoch. */
export const openHoldKey = (organizationId: string, expiresAt: number, holdId: string): Key => ({
  pk: `HOLDS#${organizationId}`,
  sk: `${String(expiresAt).padStart(16, '0')}#${holdId}`,
});

/** The pattern of their sort keys. */
export const openHoldPattern = /^\d{16}#[\w.:-]{1,128}$/;

/**
 * Prefix of the partitions of issuers' keys. Only the function that renews them may write them. It does so every few
 * minutes, so the stream is never silent.
 */
export const issuerPrefix = 'ISSUER#';

/** The keys that the issuer publishes at this address. */
export const issuerKeysKey = (uri: string): Key => ({ pk: `${issuerPrefix}${uri}`, sk: 'KEYS' });

/** The catalogue of plans, the same for all organizations. */
export const planKey = (tier: string): Key => ({ pk: 'PLANS', sk: tier });

/** Guard: one idempotency key of one user for one operation. `record` has the operation and the key. */
export const idempotencyKey = (organizationId: string, userId: string, record: string): Key => ({
  pk: `IDEMPOTENCY#${organizationId}#${userId}#${record}`,
  sk: guard,
});

/** The indexes of leads: the attribute that is the partition key of each, and the fields by which it lists them. */
export const leadIndexes = {
  by_pipeline: { attribute: 'p', fields: ['pipeline_id'] },
  by_pipeline_stage: { attribute: 'ps', fields: ['pipeline_id', 'stage'] },
  by_owner: { attribute: 'o', fields: ['owner_id'] },
  by_pipeline_owner: { attribute: 'po', fields: ['pipeline_id', 'owner_id'] },
  by_pipeline_stage_owner: { attribute: 'pso', fields: ['pipeline_id', 'stage', 'owner_id'] },
} as const;
export type LeadIndex = keyof typeof leadIndexes;
export const leadIndexNames = Object.keys(leadIndexes) as LeadIndex[];
export type LeadIndexField = (typeof leadIndexes)[LeadIndex]['fields'][number];

/**
 * The index of memberships by user, and its key attributes. An index has only items that have both of its keys, and
 * only memberships have a `role`. So nothing has to be written for this index, and no other item may have an attribute
 * of that name.
 */
export const userIndex = { name: 'by_user', partitionKey: 'sk', sortKey: 'role' } as const;

/** The index of changes by their number in a feed, and its key attributes. */
export const changeIndex = {
  name: 'by_sequence',
  partitionKey: 'feed',
  sortKey: 'sequence',
} as const;

export type IndexName = LeadIndex | typeof userIndex.name | typeof changeIndex.name;

/**
 * Partition key of an index: the first 128 bits of a SHA-256 over the organization and all that the list is filtered
 * by. A lead has five of these in each of its six copies. Spelled out, they would be half of its bytes, and a page
 * costs by its bytes.
 */
export const indexPartition = (organizationId: string, ...values: string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([organizationId, ...values]))
    .digest()
    .subarray(0, 16)
    .toString('base64url');

/** The partition of an index in which a lead with these fields is; undefined where it has not all that the index needs. */
export const leadIndexPartition = (
  organizationId: string,
  index: LeadIndex,
  lead: Partial<Record<LeadIndexField, string | null | undefined>>,
): string | undefined => {
  const fields: readonly LeadIndexField[] = leadIndexes[index].fields;
  const values = fields.flatMap((field) => lead[field] || []);
  return values.length === fields.length ? indexPartition(organizationId, ...values) : undefined;
};
