import type { Change } from '../../lib/changes/change.ts';
import type { Lead } from '../../lib/leads/lead.ts';
import { eventually } from './eventually.ts';

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

/** The feed, once it has what is waited for. */
export const feedUntil = (
  organization: Reader,
  isLast: (change: Change) => boolean,
): Promise<Change[]> =>
  eventually(
    () => readFeed(organization),
    (feed) => feed.some(isLast),
  );

/** Whoever applies changes from the first on has these leads, without times and ids. */
export const applied = (feed: readonly Change[]): Map<string, Partial<Lead>> => {
  const leads = new Map<string, Record<string, unknown>>();
  for (const change of feed) {
    if (!('lead_id' in change)) continue;
    const lead = leads.get(change.lead_id) ?? {};
    for (const { field, to } of change.changes) lead[field] = to;
    if (change.type === 'lead.deleted') leads.delete(change.lead_id);
    else leads.set(change.lead_id, lead);
  }
  return leads;
};

/** The same of a lead as the API answers it: what was never set is in no change. */
export const contentOf = ({ id: _id, created_at: _c, updated_at: _u, ...lead }: Lead) =>
  Object.fromEntries(
    Object.entries(lead).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  );
