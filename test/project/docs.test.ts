import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { mostPlans } from '../../lib/billing/plans.ts';
import { mostGraceMinutes, walletEventTypes } from '../../lib/billing/rules/wallet-events.ts';
import { mostSpendLimits } from '../../lib/billing/spend-limits.ts';
import {
  longestLineDays,
  mostLines,
  mostOpenHolds,
  mostPacks,
  mostSources,
  refusals,
} from '../../lib/billing/terms/refusals.ts';
import { changeTypes } from '../../lib/changes/change.ts';
import { errorKinds } from '../../lib/errors/errors.ts';
import { mostFilterable } from '../../lib/fields/definition.ts';
import {
  mostFieldBytes,
  mostFields,
  mostOptions,
  mostUrlCharacters,
} from '../../lib/fields/values.ts';
import { lead, leadFieldNames } from '../../lib/leads/lead.ts';
import { sorts } from '../../lib/leads/lists/terms/orders.ts';
import { mostTags } from '../../lib/leads/tags.ts';
import {
  mostApiKeys,
  mostMembers,
  mostPipelines,
  mostWebhooks,
} from '../../lib/organizations/limits.ts';
import { mostStages } from '../../lib/pipelines/pipeline.ts';
import { mostItemsExamined, mostReadUnits } from '../../lib/table/read-budget.ts';
import { mostDays } from '../../lib/usage/usage.ts';
import { variablesText } from '../../tools/dev/variables.ts';
import { withCalls } from '../../tools/openapi/calls.ts';
import { withItems } from '../../tools/openapi/items.ts';
import { routes } from '../support/api.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const { scripts } = JSON.parse(read('package.json'));

/** What stands between backticks, and in blocks of code. */
const codeIn = (text: string): string[] =>
  [...text.matchAll(/```\w*\n(.*?)```|`([^`]+)`/gs)].map(([, block, span]) => block ?? span ?? '');

/** Words like `docs/events.md`; one with a `…`, `*` or `<` is a form. Tests that are named: test-files.test.ts. */
const pathsIn = (text: string): string[] =>
  codeIn(text)
    .flatMap((code) => code.split(/[\s'",:]+/))
    .filter((word) => /^(docs|functions|infra|lib|packages|tools|\.ci)\/[\w./-]*$/.test(word));

const scriptsIn = (text: string): string[] =>
  codeIn(text)
    .flatMap((code) => [...code.matchAll(/npm\s+run\s+(?:--silent\s+)?([\w:]+)/g)])
    .map(([, script]) => script ?? '');

const linksIn = (text: string): [file: string, heading: string | undefined][] =>
  [...text.matchAll(/\]\(([^)\s#:]*)(?:#([^)\s]+))?\)/g)].map(([, file, heading]) => [
    file ?? '',
    heading,
  ]);

const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const brokenIn = (file: string, text: string): string[] => {
  const near = (path: string) => join(dirname(file), path);
  const isThere = (path: string) => existsSync(join(root, path));
  const leadsSomewhere = ([path, heading]: readonly [string, string | undefined]) => {
    const target = path === '' ? file : near(path);
    return isThere(target) && (!heading || anchorsOf(read(target)).includes(heading));
  };
  return [
    ...pathsIn(text).filter((path) => !isThere(path) && !isThere(near(path))),
    ...scriptsIn(text).filter((script) => !(script in scripts)),
    ...linksIn(text)
      .filter((link) => !leadsSomewhere(link))
      .map((link) => link.join('#')),
  ];
};

describe('the files, headings and commands that a page names are there', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md'], { cwd: root });

  test.each(pages)('%s', (file) => {
    expect(brokenIn(file, read(file))).toEqual([]);
  });

  test('others are found missing', () => {
    expect(pages).toContain('docs/runbooks/README.md');
    const text = `\`lib/errors/errors.ts\`, \`lib/gone.ts\`, \`npm run dev\`,
      \`npm run gone\`, [a](lib/operations/kinds/operation.ts), [b](gone.md), [c](README.md#run-it), [d](README.md#gone)`;
    const missing = ['lib/gone.ts', 'gone', 'gone.md#', 'README.md#gone'];
    expect(brokenIn('README.md', text)).toEqual(missing);
  });
});

/** What only GNU's commands know, and those of a Mac don't. */
const onlyGnu = /\b(date -d|sed -i |grep -P|readlink -f|base64 -w|xargs -r)/;

test('commands run on a Mac, too', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md'], { cwd: root });
  expect(pages.filter((file) => codeIn(read(file)).some((code) => onlyGnu.test(code)))).toEqual([]);
  expect(onlyGnu.test("$(date -d '1 hour ago' +%s)")).toBe(true);
});

test('the README gives a program that is started the variables of its examples', async () => {
  const [command = ''] = /^\. \.local\/env\.sh\b/m.exec(read('README.md')) ?? [];
  const directory = await mkdtemp(join(tmpdir(), 'leads-readme-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, '.local'));
  const [tokens, users] = [{ owner: `t'"$(exit 1)\`exit 1\`\\ \n;` }, { owner: 'u', agent: 'v' }];
  const organizations = [{ organization_id: 'o', pipeline_id: 'p', tokens, users }];
  const service = { base_url: 'http://localhost:3000/v1', api_key: 'k', organizations };
  await writeFile(join(directory, '.local/env.sh'), variablesText(service as never));
  const script = `set -e; ${command}\nnode -p 'JSON.stringify(process.env)'`;
  const env = { PATH: process.env.PATH };
  expect(
    JSON.parse(execFileSync('sh', ['-c', script], { cwd: directory, env, encoding: 'utf8' })),
  ).toMatchObject({
    BASE_URL: service.base_url,
    KEY: 'k',
    ORGANIZATION: 'o',
    PIPELINE: 'p',
    TOKEN: tokens.owner,
    USER_ID: 'u',
    COLLEAGUE: 'v',
  });
});

test('the architecture has each room', () => {
  const [, rooms = ''] = read('docs/architecture.md').split(/^## /m);
  const directories = (parent: string) =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${name}/`);
  const named = new Set(codeIn(rooms));
  const all = [
    ...directories('lib').map((name) => `lib/${name}`),
    ...directories('packages').map((name) => `packages/${name}`),
    ...directories('tools'),
    ...directories('test'),
  ];
  expect(all.length).toBeGreaterThan(30);
  expect(all.filter((room) => !named.has(room))).toEqual([]);
});

const wordsOf = (text: string): number => text.trim().split(/\s+/).length;

/** The records that comments of code lead to. */
const recordsIn = (code: string): string[] =>
  [...code.matchAll(/^ *\/\/ docs\/decisions\/([\w-]+\.md)$/gm)].map(([, record = '']) => record);

test('each decision is linked from the code that it explains, and each link leads to one', () => {
  const records = readdirSync(join(root, 'docs/decisions'));
  const code = globSync(['{functions,infra,lib,tools}/**/*.ts', 'packages/*/src/**/*.ts', '*.ts'], {
    cwd: root,
  });
  const linked = new Set(code.flatMap((file) => recordsIn(read(file))));
  expect([...linked].sort()).toEqual(records.sort());
  expect(recordsIn('// docs/decisions/gone.md\nconst a = 1;')).toEqual(['gone.md']);
});

test.each(readdirSync(join(root, 'docs/decisions')))(
  'the decision %s says why, what else was weighed, and what follows, in 200 words at most',
  (record) => {
    const text = read(`docs/decisions/${record}`);
    const parts = [...text.matchAll(/^# |^\*\*\w+\.\*\*/gm)].map(([part]) => part);
    expect(parts).toEqual(['# ', '**Why.**', '**Weighed.**', '**Consequences.**']);
    expect(wordsOf(text)).toBeLessThanOrEqual(200);
  },
);

test('the architecture has a row and an example of each kind of item', async () => {
  const text = read('docs/architecture.md');
  expect(await withItems(text), 'run `npm run openapi`').toBe(text);
});

test('the table of calls has a row for each operation, and no other', () => {
  const text = read('docs/api.md');
  expect(withCalls(text, routes), 'run `npm run openapi`').toBe(text);
  expect(withCalls(text, routes.slice(1))).not.toBe(text);
  expect(() => withCalls('no marks', routes)).toThrow('docs/api.md needs a line');
});

test('the lead that the README shows is one of the API', () => {
  const blocks = [...read('README.md').matchAll(/```json\n(\{.*?\n\})\n```/gs)];
  const [, json = ''] = blocks.find(([block]) => block.includes('"contact_name"')) ?? [];
  const shown = JSON.parse(json);
  // A field that is new need not be shown here: the reference has them all.
  const shape = z.partial(z.strictObject(lead.shape));
  expect(z.parse(shape, shown)).toEqual(shown);
  expect(z.safeParse(shape, { ...shown, external_ids: [] }).success).toBe(false);
});

/** The pages that list all of a kind, by hand, and how often each of it has to stand there. */
const handLists: [file: string, kind: string, names: readonly string[], times: number][] = [
  ['docs/api.md', 'field of a lead', leadFieldNames.filter((name) => name !== 'fields'), 1],
  ['docs/api.md', 'order of leads', [...new Set(sorts.map((sort) => sort.replace('-', '')))], 1],
  ['docs/changes.md', 'type of change', changeTypes, 1],
  // In the table of their fields, and in that of what each cause does.
  ['docs/stars.md', 'event of a wallet', walletEventTypes, 2],
];

test.each(handLists)('%s names each %s', (file, _, names, times) => {
  const text = read(file).replaceAll(/```.*?```/gs, '');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].flatMap(([, one = '']) => one.split(', '));
  const listed = [...codeIn(text), ...headings];
  const isListed = (name: string) => listed.filter((one) => one === name).length >= times;
  expect(names.filter((name) => !isListed(name))).toEqual([]);
  expect(isListed('nothing.of_the_kind')).toBe(false);
});

test.each([
  ['docs/api.md', 'status'],
  ['docs/errors.md', 'code'],
  ['docs/openapi.json', 'code'],
] as const)('%s tells each %s that leaves open whether a request was carried out', (file, what) => {
  const [told = ''] = /Without an? [^.]*key[^.]* open whether/i.exec(read(file)) ?? [];
  const failures = Object.entries(errorKinds)
    .filter(([, { status }]) => status >= 500)
    .map(([code, { status }]) => (what === 'code' ? `\`${code}\`` : String(status)));
  expect(failures.filter((one) => !told.includes(one))).toEqual([]);
});

test('the runbook of dead letters says what to do about each refusal of an event', () => {
  const { too_many_holds, hold_expired, ...ofEvents } = refusals;
  const runbook = read('docs/runbooks/dead-letters.md').replaceAll('\n  ', ' ');
  const named = [...runbook.matchAll(/\*\*`([^`]+)`\*\*/g)].map(([, words = '']) => words);
  const told = Object.values(ofEvents).map(({ path, message }) => `${path} ${message}`);
  const untold = told.filter((why) => !named.some((words) => why.includes(words)));
  expect(untold).toEqual([]);
});

const told = (limit: number) => limit.toLocaleString('en');

test.each([
  ['docs/api.md', `\`tags\` (up to ${told(mostTags)} different ones`],
  ['docs/api.md', `at most ${told(mostFields)} fields, ${told(mostFilterable)} of them filterable`],
  ['docs/api.md', `At most ${told(mostFilterable)} custom fields can be filtered by`],
  ['docs/api.md', `at most ${told(mostFieldBytes)} bytes of JSON`],
  ['docs/api.md', `at most ${told(mostPipelines)} pipelines`],
  ['docs/api.md', `\`stages\` (1 to ${told(mostStages)},`],
  ['docs/api.md', `at most ${told(mostMembers)} members`],
  ['docs/api.md', `at most ${told(mostApiKeys)} that are not revoked`],
  ['docs/stars.md', `at most ${told(mostOpenHolds)} open holds`],
  ['docs/stars.md', `${told(mostPacks)} expiries with stars`],
  ['docs/stars.md', `at most ${told(mostPlans)} plans`],
  ['docs/stars.md', `There are at most ${told(mostSpendLimits)}.`],
  ['docs/stars.md', `up to ${told(mostDays)} days in UTC`],
  ['docs/stars.md', `at most ${told(mostSources)} sources`],
  ['docs/stars.md', `unless told, up to ${told(mostGraceMinutes)};`],
  ['docs/stars.md', `A line has up to ${told(longestLineDays)} days`],
  ['docs/stars.md', `a wallet has up to ${told(mostLines)} lines`],
  ['docs/stars.md', `an event up to ${told(mostLines)}.`],
  ['docs/webhooks.md', `at most ${told(mostWebhooks)} webhooks`],
  ['docs/api.md', `http or https address of at most ${told(mostUrlCharacters)} characters`],
  ['docs/api.md', `up to ${told(mostOptions)} options`],
  ['docs/api.md', `at most ${told(mostItemsExamined)} items or ${told(mostReadUnits)} read units`],
  ['docs/api.md', `at most ${told(mostItemsExamined)} leads`],
  ['docs/api.md', `at most ${told(mostReadUnits)} read units where`],
])('%s tells the limit: %s', (file, limit) => {
  expect(read(file)).toContain(limit);
});

/** Words of all pages together. What is longer is not read. */
const mostWordsInAll = 30_000;

test(`all pages together have ${told(mostWordsInAll)} words at most`, () => {
  const pages = globSync(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md'], { cwd: root });
  expect(pages).toContain('docs/errors.md');
  const words = pages.reduce((sum, file) => sum + wordsOf(read(file)), 0);
  expect(words).toBeLessThanOrEqual(mostWordsInAll);
});
