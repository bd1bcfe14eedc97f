import { createHash } from 'node:crypto';

export interface Key {
  pk: string;
  sk: string;
}

/** The organization itself and what is small and read together: members, pipelines, the wallet. */
const organization = (organizationId: string) => `ORG#${organizationId}`;

export const organizationKey = (organizationId: string): Key => ({
  pk: organization(organizationId),
  sk: 'ORGANIZATION',
});

export const memberKey = (organizationId: string, userId: string): Key => ({
  pk: organization(organizationId),
  sk: `MEMBER#${userId}`,
});

/** Sort key of a user's membership, in whatever organization. */
export const memberSort = (userId: string): string => memberKey('', userId).sk;

/** The organization whose item has this partition key. */
export const organizationIdOf = (pk: string): string => pk.slice(organization('').length);

/** Who was a member lately: the version of the membership that was removed. */
export const formerMemberKey = (organizationId: string, userId: string): Key => ({
  pk: organization(organizationId),
  sk: `FORMER#${userId}`,
});

export const pipelineKey = (organizationId: string, pipelineId: string): Key => ({
  pk: organization(organizationId),
  sk: `PIPELINE#${pipelineId}`,
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

/** All of a kind that an organization has: a partition key and a prefix of sort keys. */
export const organizationKeys = (
  organizationId: string,
  kind: 'PIPELINE' | 'MEMBER' | 'WEBHOOK',
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

/** How many requests an organization sends, and its own limit if it has one. */
export const requestCounterKey = (organizationId: string): Key => ({
  pk: `${requestCounters}${organizationId}`,
  sk: 'COUNTER',
});

/** The sort key of what only one can have. */
export const guard = 'GUARD';

/** A number as a sort key. */
const ordinal = (value: number): string => String(value).padStart(12, '0');
export const ordinalForm = /^\d{12}$/;

/**
 * Partitions of what is only ever added: each item is one change in the organization's feed, and one event.
 * The stream is filtered by these prefixes.
 */
export const outbox = {
  history: 'HISTORY#',
  ledger: 'LEDGER#',
  notices: 'NOTICE#',
  notes: 'NOTE_HISTORY#',
} as const;

/** Ledger entries of a wallet, oldest first by the wallet's version after each. */
export const ledgerEntryKey = (organizationId: string, version: number): Key => ({
  pk: `${outbox.ledger}${organizationId}`,
  sk: ordinal(version),
});

/** What is told beside a ledger entry, by the wallet's version and a place among that version's notices. */
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
 * What is known of a lead and found from nowhere else, so that it can be erased: answers under keys that have its
 * fields though nothing was written for them, and notes that were deleted.
 */
export const traceKey = (organizationId: string, leadId: string, trace: string): Key => ({
  pk: `TRACES#${organizationId}#${leadId}`,
  sk: trace,
});
const [answerTrace, noteTrace] = ['ANSWER#', 'NOTE#'];
export const answerTraceKey = (
  organizationId: string,
  leadId: string,
  userId: string,
  record: string,
): Key => traceKey(organizationId, leadId, `${answerTrace}${userId}#${record}`);
export const noteTraceKey = (organizationId: string, leadId: string, noteId: string): Key =>
  traceKey(organizationId, leadId, `${noteTrace}${noteId}`);

/** What a trace leads to: the record of an answer, or a note. */
export const tracedBy = (
  organizationId: string,
  sk: string,
): { record: Key } | { noteId: string } => {
  if (sk.startsWith(noteTrace)) return { noteId: sk.slice(noteTrace.length) };
  const [userId = '', ...record] = sk.slice(answerTrace.length).split('#');
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

/** The entry that an item of the outbox is, or is told beside; undefined for an item that is not of the outbox. */
export const outboxEntry = ({ pk, sk }: Key): (Entry & { organizationId: string }) | undefined => {
  const prefix = Object.values(outbox).find((one) => pk.startsWith(one));
  if (!prefix) return undefined;
  const version = Number(sk.split('#')[0]);
  const [organizationId = ''] = pk.slice(prefix.length).split('#');
  const ofNotice = prefix === outbox.notices;
  return { organizationId, version, pk: ofNotice ? ledgerEntryKey(organizationId, 0).pk : pk };
};

/**
 * How many leads a stage has and what they are worth, in one of its shards: several, so that leads
 * created at the same time seldom wait for one another.
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
 * A copy of each lead under each value that leads are filtered by. The value is in a digest: a text of 500
 * characters is longer than a key can be.
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
 * The leads of a pipeline that have this normalized contact, one item for each. `GUARD` is the one that
 * has it to itself, so that at most one does; the others have their lead's id here.
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

/** A lead under each of its words: those that begin with the same character are together, in order. */
export const wordKey = (organizationId: string, word: string, leadId: string): Key => ({
  pk: `WORDS#${organizationId}#${[...word][0]}`,
  // No word has a space.
  sk: `${word} ${leadId}`,
});

/**
 * Guard: an event changes a wallet once. Has what it was answered, and what a refund of it goes by. A hold
 * has one too, under its own id, for as long.
 */
export const walletEventKey = (organizationId: string, eventId: string): Key => ({
  pk: `EVENT#${organizationId}#${eventId}`,
  sk: guard,
});

/** The attempts of a webhook’s deliveries, by their UUIDv7. */
export const deliveryKey = (
  organizationId: string,
  webhookId: string,
  deliveryId: string,
): Key => ({ pk: `DELIVERIES#${organizationId}#${webhookId}`, sk: deliveryId });

/** When each webhook is to be looked at next, of all organizations. */
export const dueKey = (organizationId: string, webhookId: string): Key => ({
  pk: 'DUE',
  sk: `${organizationId}#${webhookId}`,
});

/** Partitions of what is added to have an organization’s webhooks looked at. The stream is filtered by it. */
export const wakePrefix = 'WAKE#';
export const wakeKey = (organizationId: string, id: string): Key => ({
  pk: `${wakePrefix}${organizationId}`,
  sk: id,
});

/** Undefined for what is no wake. */
export const organizationOfWake = ({ pk }: Key): string | undefined =>
  pk.startsWith(wakePrefix) ? pk.slice(wakePrefix.length) : undefined;

/** Open holds of an organization, the soonest to expire first: by milliseconds since the epoch. */
export const openHoldKey = (organizationId: string, expiresAt: number, holdId: string): Key => ({
  pk: `HOLDS#${organizationId}`,
  sk: `${String(expiresAt).padStart(16, '0')}#${holdId}`,
});

/** The catalogue of plans, the same for all organizations. */
export const planKey = (tier: string): Key => ({ pk: 'PLANS', sk: tier });

/** Guard: one idempotency key of one user for one operation. `record` is what of it is not the user's. */
export const idempotencyKey = (organizationId: string, userId: string, record: string): Key => ({
  pk: `IDEMPOTENCY#${organizationId}#${userId}#${record}`,
  sk: guard,
});

/** The indexes of leads, each with the attribute that is its partition key. */
export const indexAttributes = {
  by_pipeline: 'p',
  by_pipeline_stage: 'ps',
  by_owner: 'o',
  by_pipeline_owner: 'po',
  by_pipeline_stage_owner: 'pso',
} as const;
export type LeadIndex = keyof typeof indexAttributes;

/**
 * The index of memberships by user, by the attributes that are its keys. Memberships alone have a `role`, and
 * an index holds only what has both of its keys: so nothing else is in it, nothing has to be written for it,
 * and DynamoDB fills it with those that were there before. No other item may have an attribute of that name.
 */
export const userIndex = { name: 'by_user', partitionKey: 'sk', sortKey: 'role' } as const;

/** The index of changes by their number in a feed, by the attributes that are its keys. */
export const changeIndex = {
  name: 'by_sequence',
  partitionKey: 'feed',
  sortKey: 'sequence',
} as const;

export type IndexName = LeadIndex | typeof userIndex.name | typeof changeIndex.name;

/**
 * Partition key of an index: the first 128 bits of a SHA-256 over everything that the list is
 * filtered by, the organization first. A digest, because a lead carries five of these in each of its
 * six copies: spelled out they would be half of its bytes, and bytes are what a page costs.
 */
export const indexPartition = (organizationId: string, ...values: string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([organizationId, ...values]))
    .digest()
    .subarray(0, 16)
    .toString('base64url');
