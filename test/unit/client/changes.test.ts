import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  ApiError,
  type ChangesOptions,
  createClient,
  FeedChangedError,
} from '../../../packages/client/src/index.ts';

// How the feed is read. By a real service: test/tools/client/changes.test.ts.

const [feed, other] = [
  '0b861954-ed91-4e84-8458-6e46c6a6d30c',
  '0b861954-ed91-4e84-8458-6e46c6a6d30d',
];

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

interface Page {
  items: { sequence: number }[];
  last_sequence: number;
  has_more: boolean;
  feed_id: string;
}

const page = (sequences: number[], last_sequence: number, has_more: boolean, feed_id = feed) => ({
  ...{ items: sequences.map((sequence) => ({ sequence })), last_sequence, has_more, feed_id },
});

const refusal = (details: object[]) => () =>
  Response.json(
    { error: { code: 'invalid_request', message: 'No.', details, request_id: 'r' } },
    { status: 400 },
  );

/** What is read of a feed that answers so, one after the other, what it was asked for, and how long was waited before. */
const reading = async (answers: (Page | (() => Response))[], options: ChangesOptions = {}) => {
  const asked: string[] = [];
  const waits: number[] = [];
  const seen: number[] = [];
  const timer = vi.spyOn(globalThis, 'setTimeout');
  const { signal = new AbortController().signal } = options;
  const api = createClient({
    ...{ baseUrl: 'http://service.test/v1', organizationId: feed, token: 't' },
    retry: { attempts: 1 },
    fetch: async (input) => {
      const url = new URL((input as Request).url);
      asked.push(decodeURIComponent(`${url.pathname}${url.search}`).replace('/v1/changes?', ''));
      waits.push(...timer.mock.calls.splice(0).map(([, milliseconds]) => Number(milliseconds)));
      const answer = answers[asked.length - 1];
      return typeof answer === 'function' ? answer() : Response.json(answer);
    },
  });
  const read = async () => {
    for await (const { sequence } of api.changes({ ...options, signal })) seen.push(sequence);
  };
  let error: unknown;
  const ended = read().catch((thrown: unknown) => {
    error = thrown;
  });
  await vi.runAllTimersAsync();
  await ended;
  return { seen, asked, waits, error };
};

test('changes are read from the first on, page after page, until there are no more', async () => {
  const pages = [page([1, 2], 2, true), page([], 5, true), page([6], 6, false)];
  expect(await reading(pages)).toEqual({
    seen: [1, 2, 6],
    asked: ['after=0&limit=200', 'after=2&limit=200', 'after=5&limit=200'],
    waits: [],
    error: undefined,
  });
});

test('only what is asked for is asked for', async () => {
  const options: ChangesOptions = {
    after: 7,
    feedId: feed,
    from: '2026-11-20',
    to: '2026-11-21T00:00:00Z',
    types: ['lead.created', 'lead.updated'],
  };
  const { asked, error } = await reading([page([], 7, false)], options);
  expect(error).toBeUndefined();
  expect(asked).toEqual([
    'after=7&limit=200&from=2026-11-20&to=2026-11-21T00:00:00Z&type=lead.created&type=lead.updated',
  ]);
});

test('a number that can’t be read yet is waited for, and none is passed over', async () => {
  const pages = [page([1], 1, true), page([], 1, true), page([2, 3], 3, true), page([], 3, false)];
  const { seen, asked, waits } = await reading(pages);
  expect([seen, asked.map((query) => query.replace('&limit=200', ''))]).toEqual([
    [1, 2, 3],
    ['after=0', 'after=1', 'after=1', 'after=3'],
  ]);
  expect(waits).toEqual([200]);
});

test('at its end, it asks again after what was told, until it is aborted', async () => {
  const reason = new Error('enough');
  const aborting = new AbortController();
  const answers = [
    page([1], 1, false),
    page([], 1, false),
    () => {
      aborting.abort(reason);
      return Response.json(page([2], 2, false));
    },
  ];
  const options = { pollEvery: 70_000, signal: aborting.signal };
  const { seen, waits, error } = await reading(answers, options);
  expect([seen, waits, error]).toEqual([[1], [70_000, 70_000], reason]);
});

test.each<[string, (Page | (() => Response))[], ChangesOptions]>([
  ['by its page', [page([1], 1, true), page([2], 2, false, other)], {}],
  ['by the first page', [page([1], 1, true, other)], { after: 5, feedId: feed }],
  [
    'by a refusal, since it ends before',
    [
      refusal([
        { path: 'after', message: 'is too large' },
        { path: 'after', feed_id: other },
      ]),
    ],
    { after: 5, feedId: feed },
  ],
  [
    'by a refusal of a later page',
    [page([1], 1, true), refusal([{ path: 'after', feed_id: other }])],
    {},
  ],
])('a feed that is another one is told %s', async (_, answers, options) => {
  const { seen, error } = await reading(answers, options);
  expect(error).toBeInstanceOf(FeedChangedError);
  expect(error).toMatchObject({
    ...{ name: 'FeedChangedError', feedId: other },
    message: 'The feed is another one: read it again from the beginning, with after: 0.',
  });
  expect(seen).toEqual(answers.length > 1 ? [1] : []);
});

test.each<[string, () => Response, ChangesOptions]>([
  ['of the same feed', refusal([{ path: 'after', feed_id: feed }]), { after: 5, feedId: feed }],
  ['where no feed was named', refusal([{ path: 'after', feed_id: other }]), { after: 5 }],
  ['that names none', refusal([{ path: 'type', message: 'is unknown' }]), { feedId: feed }],
])('a refusal %s stays as it is', async (_, answer, options) => {
  const { error } = await reading([answer], options);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: 'invalid_request' });
});

test('what is no error of the API stays as it is', async () => {
  const { error } = await reading([
    () => {
      throw new TypeError('fetch failed');
    },
  ]);
  expect(error).toMatchObject({ name: 'ConnectionError' });
});
