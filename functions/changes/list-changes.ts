import * as z from 'zod/mini';
import {
  type ChangeType,
  change,
  changeTypes,
  hiddenChange,
  readableTypes,
  toHiddenChange,
} from '../../lib/changes/change.ts';
import {
  assertInFeed,
  type FeedPage,
  readFeed,
  readHead,
  seekFeed,
} from '../../lib/changes/feed.ts';
import { maker, platform } from '../../lib/facts/origin.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { isAllowed } from '../../lib/organizations/caller.ts';
import { readUserNames } from '../../lib/organizations/user-names.ts';
import { dateTime, userId } from '../../lib/schema/fields.ts';
import {
  defaultLimit,
  fitIntoReply,
  mostLimit,
  pageQuery,
  wholeNumber,
} from '../../lib/schema/pages.ts';
import { queryParameter } from '../../lib/schema/query-parameter.ts';
import type { Table } from '../../lib/table/table.ts';

const whoMade = () =>
  z.union([userId(), z.literal(platform)]).check(z.meta({ documentedAs: maker() }));

const sequence = (text: string) => z.int().check(z.nonnegative(), z.describe(text));

interface PageCall {
  organizationId: string;
  query: {
    after?: number | undefined;
    limit?: number | undefined;
    from?: number | undefined;
    to?: number | undefined;
    type?: readonly ChangeType[] | undefined;
    user_id?: string | undefined;
  };
}

/** The types of change that are looked for; undefined where nothing is passed over. */
const soughtTypes = ({ type, user_id }: PageCall['query']): readonly ChangeType[] | undefined =>
  type ?? (user_id === undefined ? undefined : changeTypes);

/** A page of the feed with changes of these types only. Throws `invalid_request` for an `after` beyond the last number. */
const readPage = async (
  { organizationId, query }: PageCall,
  table: Table<'GetItem' | 'Query by_sequence'>,
  types: readonly ChangeType[] | undefined,
): Promise<FeedPage> => {
  const { after = 0, limit = defaultLimit, from, to } = query;
  const isSought = from !== undefined && after === 0;
  const start = isSought
    ? await seekFeed(table, organizationId, from, await readHead(table, organizationId))
    : after;
  const filters = { types, userId: query.user_id, from, to };
  const page = await readFeed(table, organizationId, { after: start, limit, ...filters });
  // Beyond the last number nothing would ever come: that must not look like the end.
  if (after > 0 && page.lastSequence === after && !page.hasMore) {
    assertInFeed(organizationId, after, await readHead(table, organizationId));
  }
  return page;
};

export const operation = defineOperation({
  id: 'listChanges',
  summary: 'List changes',
  description:
    'Lists every change of the organization’s leads, wallet and settings, oldest first. The feed has each change once, numbered without gaps from the first one on. Pass `last_sequence` back as `after`, also when no change was of the types that you asked for; read on at once while `has_more` is true. A change is in the feed a moment after its request was answered. An `after` beyond the last number is 400, and `details[0]` has `last_sequence` and `feed_id`. A new `feed_id` means that the numbers are new: start again with `after=0`. A change of something that you may not read is there as `hidden`.',
  method: 'GET',
  path: '/changes',
  permission: 'changes:read',
  request: {
    query: z.strictObject({
      after: z
        .optional(queryParameter(wholeNumber(0, Number.MAX_SAFE_INTEGER)))
        .check(
          z.meta({ description: 'The `last_sequence` up to which you have read.', default: 0 }),
        ),
      limit: pageQuery.limit,
      type: z
        .optional(z.array(z.enum(changeTypes)).check(z.maxLength(changeTypes.length)))
        .check(z.describe('Repeatable, as `type=a&type=b`: only changes of these types.')),
      user_id: z
        .optional(queryParameter(whoMade()))
        .check(
          z.describe(
            'Only what this user, this API key, or the `platform` did, of what you may read.',
          ),
        ),
      from: z
        .optional(queryParameter(dateTime()))
        .check(
          z.describe(
            'Only changes of this time or later: by when they were made, or by when they came into the feed if that was 10 s later. Without `after`, reading begins there.',
          ),
        ),
      to: z
        .optional(queryParameter(dateTime()))
        .check(z.describe('Only changes before this time. The feed ends there.')),
    }),
  },
  response: {
    status: 200,
    body: z.strictObject({
      items: z.array(z.union([change, hiddenChange])).check(z.maxLength(mostLimit)),
      last_sequence: sequence('The next `after`.'),
      has_more: z.boolean().check(z.describe('Whether there is more to read now.')),
      feed_id: z
        .uuid()
        .check(z.describe('Names the numbering: another `feed_id` means other numbers.')),
    }),
  },
  errors: [],
  table: ['GetItem', 'Query by_sequence'],

  read: (call, table) => readPage(call, table, soughtTypes(call.query)),

  async handle(call, found, table) {
    const readable = new Set(readableTypes((one) => isAllowed(call, call.role, one)));
    const sought = soughtTypes(call.query);
    const types = sought?.filter((one) => readable.has(one));
    // Where a page of some types, or of a user, ends says of what is hidden which types it has, or who did it.
    const isWhole = types?.length === sought?.length;
    const page = isWhole ? found : await readPage(call, table, types);
    const { items: told, lastSequence, hasMore, feedId } = page;
    const shown = told.map(({ change }) =>
      readable.has(change.type) ? change : toHiddenChange(change),
    );
    const nameOf = await readUserNames(
      table,
      call,
      shown.filter((one) => one.type !== 'hidden'),
    );
    const all = shown.map((one) =>
      one.type === 'hidden' ? one : { ...one, user_name: nameOf(one.user_id) },
    );
    const items = fitIntoReply(all);
    const next =
      items.length < all.length
        ? { last_sequence: items.at(-1)!.sequence, has_more: true }
        : { last_sequence: lastSequence, has_more: hasMore };
    return { body: { items, ...next, feed_id: feedId } };
  },
});

export const handler = serve(operation);
