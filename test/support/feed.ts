import { type Change, type ChangeType, usualTypes } from '../../lib/changes/change.ts';
import type { Lead } from '../../lib/leads/lead.ts';
import { eventually } from './eventually.ts';
import type { Organization } from './organization.ts';

interface Reader {
  // biome-ignore lint/suspicious/noExplicitAny: answers of other kinds are told as they are.
  get(path: string): Promise<{ body: any; text: string }>;
}

/** The whole feed, read from the beginning, so many changes at a time. */
export const readFeed = async (organization: Reader, limit = 200): Promise<Change[]> => {
  const changes: Change[] = [];
  for (let after = 0, more = true; more; ) {
    const { body, text } = await organization.get(`/changes?after=${after}&limit=${limit}`);
    if (!body.items) throw new Error(`no feed: ${text}`);
    changes.push(...body.items);
    after = body.last_sequence;
    more = body.has_more;
  }
  return changes;
};

/**
 * The feed, once it has what is waited for. Where several things changed, wait for the number of the last change: changes
 * of different things have no order.
 */
export const feedUntil = (
  organization: Reader,
  isLast: (change: Change) => boolean,
): Promise<Change[]> =>
  eventually(
    () => readFeed(organization),
    (feed) => feed.some(isLast),
  );

/**
 * The number of the last of the changes that make an organization, once all of them are in the feed: of its settings, and
 * of its first stars.
 */
export const feedStart = async (
  organization: Organization,
  { firstStars = false } = {},
): Promise<number> => {
  const { users, pipelines } = organization;
  const count = 1 + Object.keys(users).length + pipelines.length + Number(firstStars);
  await feedUntil(organization, ({ sequence }) => sequence === count);
  return count;
};

const usual: ReadonlySet<ChangeType> = new Set(usualTypes);

/** The changes of leads, notes and stars. */
export const withoutSettings = <C extends { type: ChangeType }>(feed: readonly C[]): C[] =>
  feed.filter(({ type }) => usual.has(type));

/** The changes of a feed as the bus and webhooks tell them: without names of users. */
export const asSent = (feed: readonly Change[]): Change[] =>
  feed.map(({ user_name: _, ...change }) => change);

/** Whoever applies changes from the first on has these leads, without ids and the times of changes. */
export const applied = (feed: readonly Change[]): Map<string, Partial<Lead>> => {
  const leads = new Map<string, Record<string, unknown>>();
  for (const change of feed) {
    if (!('changes' in change)) continue;
    const lead = leads.get(change.lead_id) ?? {};
    for (const { field, to } of change.changes) lead[field] = to;
    const entersStage = change.changes.some(({ field }) => /^(stage|pipeline_id)$/.test(field));
    if (entersStage) lead.stage_entered_at = change.at;
    if (change.stage_entered_at) lead.stage_entered_at = change.stage_entered_at;
    const isGone = change.type === 'lead.deleted' || change.type === 'lead.erased';
    if (isGone) leads.delete(change.lead_id);
    else leads.set(change.lead_id, lead);
  }
  return leads;
};

/** The same of a lead as the API answers it: what was never set is in no change, and each custom field is by itself. */
export const contentOf = ({ id: _id, created_at: _c, updated_at: _u, fields, ...lead }: Lead) => {
  const custom = Object.entries(fields ?? {}).map(([key, value]) => [`fields.${key}`, value]);
  return Object.fromEntries(
    [...Object.entries(lead), ...custom].filter(
      ([, value]) =>
        value !== null && !(typeof value === 'object' && Object.keys(value).length === 0),
    ),
  );
};
