import { assertNames, assertSignal, assertUuid, assertWhole, shown } from './checks.ts';
import { ApiError } from './errors.ts';
import { longestTimerMs } from './retry.ts';
import type { components, paths } from './schema.ts';
import type { DataOf, Operation } from './types.ts';

type FeedPage = DataOf<Operation<'/changes', 'get'>>;

/** One change of a lead, the wallet or a setting; `hidden` where you may not read what it is of. */
export type Change = FeedPage['items'][number];
export type ChangeType = NonNullable<
  NonNullable<paths['/changes']['get']['parameters']['query']>['type']
>[number];

/** The message that `POST /webhooks/{webhook_id}/test` has posted. It is no change, and has no place in the feed. */
export type TestMessage = components['schemas']['WebhookTestMessage'];

/** A message that a webhook posts. */
export type WebhookMessage = Exclude<Change, { type: 'hidden' }> | TestMessage;

export interface ChangesOptions {
  /** The `sequence` of the last change that you have. By default 0, for none. */
  after?: number | undefined;
  /** The `feed_id` of that change: then numbers of another feed are refused. Give it with `after`. */
  feedId?: string | undefined;
  /** Only changes at `from` or later, and before `to`, in ISO 8601. Without `after`, the reading begins at `from`. */
  from?: string | undefined;
  to?: string | undefined;
  /** Leaves out changes of other types. At least one type. */
  types?: readonly ChangeType[] | undefined;
  /** Leaves out what others did than this user, this API key, or the `platform`. */
  userId?: string | undefined;
  /** Milliseconds, 1 to 2^31 − 1, after which to ask again at the end, and so go on for ever. By default it stops there. */
  pollEvery?: number | undefined;
  signal?: AbortSignal | undefined;
}

const names: Record<keyof ChangesOptions, true> = {
  after: true,
  feedId: true,
  from: true,
  to: true,
  types: true,
  userId: true,
  pollEvery: true,
  signal: true,
};

/** Throws a `TypeError` or `RangeError` that names an option, what was given, and what is allowed. */
export const assertChangesOptions = (options: ChangesOptions): void => {
  assertNames('options', options, Object.keys(names));
  const { after, feedId, from, to, types, userId, pollEvery, signal } = options;
  if (after !== undefined) assertWhole('after', after, 0, Number.MAX_SAFE_INTEGER);
  if (feedId !== undefined) assertUuid('feedId', feedId);
  for (const [name, time] of Object.entries({ from, to })) {
    if (time !== undefined && Number.isNaN(Date.parse(time))) {
      throw new TypeError(`${name} must be a time in ISO 8601, not ${shown(time)}`);
    }
  }
  if (types !== undefined && !(Array.isArray(types) && types.length > 0)) {
    throw new TypeError(`types must be a list of at least one type, not ${shown(types)}`);
  }
  if (userId !== undefined && userId !== 'platform') assertUuid('userId', userId);
  if (pollEvery !== undefined) assertWhole('pollEvery', pollEvery, 1, longestTimerMs);
  if (signal !== undefined) assertSignal(signal);
};

/** The numbers are of another feed: the service was restored from a backup. Start again, with `after: 0`. */
export class FeedChangedError extends Error {
  /** The id of the feed that there is now. */
  readonly feedId: string;

  constructor(feedId: string) {
    super('The feed is another one: read it again from the beginning, with after: 0.');
    this.name = 'FeedChangedError';
    this.feedId = feedId;
  }
}

/** Milliseconds for which a change may have its number, and can't be read yet. */
const settling = 200;

/** A `FeedChangedError` where an error tells of another feed, whose numbers may end before the last that was read. */
const feedChange = (error: unknown, feed: string | undefined): FeedChangedError | undefined => {
  const now = error instanceof ApiError && error.details.find(({ feed_id }) => feed_id)?.feed_id;
  return now && now !== (feed ?? now) ? new FeedChangedError(now) : undefined;
};

/** Every change after a number, in order. Keeps nothing but its place in this loop. */
export async function* readChanges(
  read: (query: object, signal: AbortSignal | undefined) => Promise<FeedPage>,
  wait: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>,
  { after = 0, feedId, from, to, types, userId, pollEvery, signal }: ChangesOptions,
): AsyncGenerator<Change, void> {
  for (let [last, feed] = [after, feedId]; ; ) {
    const query = {
      after: last,
      limit: 200,
      ...(from && { from }),
      ...(to && { to }),
      ...(types && { type: types }),
      ...(userId && { user_id: userId }),
    };
    const page = await read(query, signal).catch((error) => {
      throw feedChange(error, feed) ?? error;
    });
    if (page.feed_id !== (feed ?? page.feed_id)) throw new FeedChangedError(page.feed_id);
    yield* page.items;
    const moved = page.last_sequence > last;
    [last, feed] = [page.last_sequence, page.feed_id];
    if (page.has_more && moved) continue;
    if (!page.has_more && pollEvery === undefined) return;
    await wait(page.has_more ? settling : (pollEvery ?? 0), signal);
  }
}
