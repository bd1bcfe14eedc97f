import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Variables } from '../../tools/github/api.ts';
import { reportNight } from '../../tools/github/report-night.ts';
import { versionBefore } from '../../tools/github/version-before.ts';

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
  GITHUB_SHA: 'new',
  GITHUB_RUN_ID: '7',
  GITHUB_RUN_ATTEMPT: '2',
};

const address = { environment_url: 'https://api.cedro.dev' };
const deployed = [
  { state: 'inactive', ...address },
  { state: 'success', ...address },
  { state: 'in_progress', ...address },
];
const failed = [{ state: 'failure', ...address }];
const skipped = [{ state: 'success', environment_url: '' }];

const haveDeployments = (statuses: Record<string, object[]>) => {
  things['deployments?environment=production'] = Object.keys(statuses).map((sha, id) => ({
    id,
    sha,
  }));
  for (const [id, all] of Object.values(statuses).entries()) {
    things[`deployments/${id}/statuses`] = all;
  }
};

test.each<[string, Record<string, object[]>, string | undefined]>([
  ['nothing was deployed', {}, undefined],
  ['all that was deployed failed', { a: failed, b: failed }, undefined],
  ['the newest that succeeded is not the newest', { a: failed, b: deployed, c: deployed }, 'b'],
  ['a run did nothing, and succeeded', { a: skipped, b: deployed }, 'b'],
  ['it is this very commit', { a: failed, new: deployed, b: deployed }, undefined],
])('the version before, where %s', async (_what, statuses, commit) => {
  haveDeployments(statuses);
  expect(await versionBefore(variables, 'production')).toBe(commit);
});

test('the version before is found behind a hundred that failed, and a status behind a hundred others', async () => {
  const others = Array.from({ length: 100 }, (_, i) => [`a${i}`, failed]);
  haveDeployments({
    ...Object.fromEntries(others),
    b: [...Array(100).fill(failed[0]), ...deployed],
  });
  expect(await versionBefore(variables, 'production')).toBe('b');
});

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
  await expect(versionBefore({ ...variables, GITHUB_TOKEN: '' }, 'production')).rejects.toThrow(
    /GitHub answered 404 to deployments/,
  );
});
