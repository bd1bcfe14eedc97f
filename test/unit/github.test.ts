import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Variables } from '../../tools/github/api.ts';
import { reportNight } from '../../tools/github/report-night.ts';

/** What GitHub has, by path. Of lists, each page has 100. */
let things: Record<string, unknown>;
let sent: [path: string, body: unknown][];
beforeEach(() => {
  things = {};
  sent = [];
});

const github = createServer(async (request, response) => {
  const url = new URL(request.url!, 'http://github');
  const [page, size] = [Number(url.searchParams.get('page') ?? 1), 100];
  url.searchParams.delete('page');
  url.searchParams.delete('per_page');
  const path = `${url.pathname}${url.search}`.replace('/repos/cedro/crm/', '');
  const body = await text(request);
  if (body) sent.push([path, JSON.parse(body)]);
  const found = body ? {} : things[path];
  response.statusCode = found && request.headers.authorization === 'Bearer secret' ? 200 : 404;
  const isList = Array.isArray(found);
  response.end(
    JSON.stringify(isList ? found.slice((page - 1) * size, page * size) : (found ?? {})),
  );
});
await new Promise<void>((done) => github.listen(0, '127.0.0.1', done));
afterAll(() => github.close());

const variables: Variables = {
  GITHUB_API_URL: `http://127.0.0.1:${(github.address() as AddressInfo).port}`,
  GITHUB_REPOSITORY: 'cedro/crm',
  GITHUB_TOKEN: 'secret',
  GITHUB_RUN_ID: '7',
  GITHUB_RUN_ATTEMPT: '2',
};

const job = (name: string, conclusion: string | null) => ({
  name,
  conclusion,
  html_url: `https://github.com/cedro/crm/${name}`,
});

const body =
  '- [`mutation`](https://github.com/cedro/crm/mutation): failure\n- [`slow`](https://github.com/cedro/crm/slow): cancelled';
const title = 'The night failed';
const other = { number: 1, title: 'The night failed again' };
const pullRequest = { number: 2, title, pull_request: {} };

test.each([
  ['a new issue where none is open', [other, pullRequest], 'issues', { title, body }],
  ['the one that is open', [other, { number: 9, title }], 'issues/9/comments', { body }],
  [
    'it also behind a hundred others',
    [...Array(100).fill(other), { number: 9, title }],
    'issues/9/comments',
    { body },
  ],
])('a failed night is told in %s', async (_what, issues, path, told) => {
  things['issues?state=open'] = issues;
  const jobs = [
    job('faults', 'success'),
    job('mutation', 'failure'),
    job('slow', 'cancelled'),
    job('unneeded', 'skipped'),
    job('report', null),
  ];
  things['actions/runs/7/attempts/2/jobs'] = { jobs };
  await reportNight(variables);
  expect(sent).toEqual([[path, told]]);
});

test('what GitHub refuses is an error that says so', async () => {
  await expect(reportNight({ ...variables, GITHUB_TOKEN: '' })).rejects.toThrow(
    /GitHub answered 404 to actions/,
  );
});
