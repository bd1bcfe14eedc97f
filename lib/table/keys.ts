import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { Place } from './place.ts';

export type { Key } from './place.ts';

/** Prefix of the partitions of platform keys. No function may write it. */
export const platformPrefix = 'PLATFORM#';

/** Prefix of the partitions of what is counted with each request: requests, and uses of API keys. */
export const requestCounters = 'REQUESTS#';

/**
 * Prefixes of the partitions of facts, by the kind of thing. Items are only ever added to them: each item is a change in the
 * organization's feed, and an event. The stream is filtered by these prefixes.
 */
export const outbox = {
  leads: 'HISTORY#',
  notes: 'NOTE_HISTORY#',
  wallets: 'LEDGER#',
  notices: 'NOTICE#',
  organizations: 'ORGANIZATION_FACT#',
  members: 'MEMBER_FACT#',
  apiKeys: 'KEY_FACT#',
  pipelines: 'PIPELINE_FACT#',
  fields: 'FIELD_FACT#',
  webhooks: 'WEBHOOK_FACT#',
  alerts: 'ALERT_FACT#',
  spendLimits: 'LIMIT_FACT#',
} as const;
export type OutboxName = keyof typeof outbox;

/**
 * Prefix of the partitions of issuers' keys. Only the function that renews them may write them. It does so every few
 * minutes, so the stream is never silent.
 */
export const issuerPrefix = 'ISSUER#';

/** Prefix of wakes' partitions: a wake asks to look at an organization's webhooks. The stream is filtered by it. */
export const wakePrefix = 'WAKE#';

/** Prefixes of the partitions of what proves who calls. Functions that no caller calls may not read them. */
export const callerPrefixes = [
  issuerPrefix,
  platformPrefix,
  'MEMBERS#',
  'NAMES#',
  'KEY#',
  'KEYS#',
] as const satisfies Prefix[];

/** Where each kind of item is. What it holds stands in its `Kind`. */
export const places = {
  organization: new Place('ORG#<organizationId>', 'ORGANIZATION'),
  tombstone: new Place('ORG#<organizationId>', 'ERASED'),
  listedOrganization: new Place('ORGANIZATIONS', '<name>#<organizationId>'),
  member: new Place('MEMBERS#<organizationId>', '<userId>'),
  name: new Place('NAMES#<organizationId>', '<id>'),
  apiKey: new Place('KEY#<keyId>', 'KEY'),
  apiKeySettings: new Place('KEYS#<organizationId>', '<keyId>'),
  apiKeyUse: new Place(`${requestCounters}<organizationId>`, 'KEY#<keyId>'),
  platformKey: new Place(`${platformPrefix}<keyId>`, 'KEY'),
  platformKeySettings: new Place(platformPrefix, '<keyId>'),
  platformKeyUse: new Place(`${requestCounters}${platformPrefix}`, 'KEY#<keyId>'),
  requestCounter: new Place(`${requestCounters}<organizationId>`, 'COUNTER'),
  platformRequestCounter: new Place(`${requestCounters}<organizationId>`, 'PLATFORM'),
  userRequestCounter: new Place(`${requestCounters}USER#<userId>`, 'COUNTER'),
  pipeline: new Place('PIPELINES#<organizationId>', '<pipelineId>'),
  fields: new Place('FIELDS#<organizationId>', 'FIELDS'),
  webhook: new Place('WEBHOOKS#<organizationId>', '<webhookId>'),
  wallet: new Place('WALLET#<organizationId>', 'WALLET'),
  waitingRequest: new Place('WAITING#<organizationId>', '<time>#<id>'),
  ledgerEntry: new Place(`${outbox.wallets}<organizationId>`, '<version>'),
  notice: new Place(`${outbox.notices}<organizationId>`, '<version>#<index>'),
  eventRecord: new Place('EVENT#<organizationId>#<eventId>', 'RECORD'),
  payment: new Place('PAYMENT#<payment>', 'GUARD'),
  openHold: new Place('HOLDS#<organizationId>', '<expiry>#<holdId>'),
  usage: new Place('USAGE#<organizationId>', 'COUNTED'),
  usageSum: new Place('USAGE#<organizationId>#<sumsId>', '<grouping>#<month>#<name>'),
  spendLimit: new Place('LIMITS#<organizationId>', '<kind>#<name>'),
  spendCounter: new Place('SPENT#<organizationId>', '<kind>#<name>'),
  plan: new Place('PLANS', '<tier>'),
  price: new Place('PRICE#<price>', 'PRICE'),
  subscriptionOwner: new Place('SUBSCRIPTION#<subscription>', 'OWNER'),
  lead: new Place('LEADS#<organizationId>', '<leadId>'),
  leadOfTag: new Place('TAG#<organizationId>#<tag>', '<leadId>'),
  leadOfFieldValue: new Place('FIELD#<organizationId>#<field>#<digest>', '<leadId>'),
  historyEntry: new Place(`${outbox.leads}<organizationId>#<leadId>`, '<version>'),
  note: new Place('NOTES#<organizationId>#<leadId>', '<noteId>'),
  noteHistoryEntry: new Place(`${outbox.notes}<organizationId>#<leadId>#<noteId>`, '<version>'),
  organizationFact: new Place(`${outbox.organizations}<organizationId>`, '<version>'),
  memberFact: new Place(`${outbox.members}<organizationId>#<userId>`, '<version>'),
  apiKeyFact: new Place(`${outbox.apiKeys}<organizationId>#<keyId>`, '<version>'),
  pipelineFact: new Place(`${outbox.pipelines}<organizationId>#<pipelineId>`, '<version>'),
  fieldFact: new Place(`${outbox.fields}<organizationId>`, '<version>'),
  webhookFact: new Place(`${outbox.webhooks}<organizationId>#<webhookId>`, '<version>'),
  alertFact: new Place(`${outbox.alerts}<organizationId>`, '<version>'),
  spendLimitFact: new Place(`${outbox.spendLimits}<organizationId>`, '<version>'),
  recordTrace: new Place('TRACES#<organizationId>#<leadId>', 'RECORD#<userId>#<record>'),
  noteTrace: new Place('TRACES#<organizationId>#<leadId>', 'NOTE#<noteId>'),
  counter: new Place('COUNTERS#<organizationId>#<pipelineId>', '<shard>#<stage>'),
  contactGuard: new Place('CONTACT#<organizationId>#<pipelineId>#<field>#<value>', 'GUARD'),
  contactLookup: new Place('CONTACT#<organizationId>#<pipelineId>#<field>#<value>', '<leadId>'),
  externalId: new Place('EXTERNAL#<organizationId>#<externalId>', 'GUARD'),
  word: new Place('WORDS#<organizationId>#<initial>', '<word> <leadId>'),
  feedHead: new Place('FEED#<organizationId>', '<feedId>'),
  delivery: new Place('DELIVERIES#<organizationId>#<webhookId>', '<deliveryId>'),
  due: new Place('DUE', '<organizationId>#<consumer>#<id>'),
  wake: new Place(`${wakePrefix}<organizationId>`, '<wakeId>'),
  issuerKeys: new Place(`${issuerPrefix}<uri>`, 'KEYS'),
  idempotencyRecord: new Place('IDEMPOTENCY#<organizationId>#<userId>#<record>', 'GUARD'),
} as const;

type PrefixOf<Template extends string> = Template extends `${infer P}<${string}` ? P : Template;

/** How the partition keys of some kind of item begin. */
export type Prefix = PrefixOf<(typeof places)[keyof typeof places]['partitionTemplate']>;

/** A number as a sort key. */
export const ordinal = (value: number): string => String(value).padStart(12, '0');
export const ordinalPattern = /^\d{12}$/;

/**
 * The index of memberships by user, and its key attributes. An index has only items that have both of its keys, and
 * only memberships have a `role`. So nothing has to be written for this index, and no other item may have an attribute of that
 * name.
 */
export const userIndex = { name: 'by_user', partitionKey: 'sk', sortKey: 'role' } as const;

/** The index of changes by their number in a feed, and its key attributes. */
export const changeIndex = {
  name: 'by_sequence',
  partitionKey: 'feed',
  sortKey: 'sequence',
} as const;

/**
 * Partition key of an index: the first 120 bits of a SHA-256 over the organization and all that the list is filtered
 * by. A lead has five of these in each of its six copies. Spelled out, they would be half of its bytes, and a page
 * costs by its bytes.
 */
export const indexPartition = (organizationId: string, ...values: string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([organizationId, ...values]))
    .digest()
    .subarray(0, 15)
    .toString('base64url');

/** What an item of the outbox gets with its number in the feed. */
export const numberAttributes = {
  feed: z.optional(z.string()),
  sequence: z.optional(z.int()),
  /** When the item got its number, in milliseconds since the epoch: never before those of lower numbers. */
  numbered_at: z.optional(z.number()),
  /** An item that was old when it got its number is not sent to the bus. */
  late: z.optional(z.literal(true)),
};
