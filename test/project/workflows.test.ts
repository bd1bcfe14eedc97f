import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jobsIn, root, textOf, workflows } from './workflows.ts';

// GitHub runs the workflows only once they are pushed: here, its own parser and the project say what is wrong in them.

const read = (file: string) => readFileSync(join(root, file), 'utf8');

const { scripts } = JSON.parse(read('package.json'));
const programs = new Set(['cdk', 'vitest']);

/** An action by its commit, which nobody can change, and its version for people and Dependabot. */
const pinned = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

/** What a workflow runs or uses that is not there, or may change under its name. */
const faultsIn = (text: string): string[] => {
  const faults: string[] = [];
  for (const [, action = ''] of text.matchAll(/\buses: *(.+)$/gm)) {
    const isThere = action.startsWith('./') && existsSync(join(root, action));
    if (!isThere && !pinned.test(action)) faults.push(action);
  }
  for (const [, script = ''] of text.matchAll(/\bnpm run (?:-\S+ )*(\S+)/g)) {
    if (!(script in scripts)) faults.push(`npm run ${script}`);
  }
  for (const [, program = ''] of text.matchAll(/\bnpx (\S+)/g)) {
    if (!programs.has(program)) faults.push(`npx ${program}`);
  }
  for (const [, tests = ''] of text.matchAll(/\bvitest run (\S+)/g)) {
    if (!existsSync(join(root, `${tests}.test.ts`))) faults.push(tests);
  }
  for (const [, file = ''] of text.matchAll(/\b(?:run: *(?=\.)|node (?=\w+\/))([\w./-]+)/g)) {
    if (!existsSync(join(root, file))) faults.push(file);
  }
  return faults;
};

/** `npm run lint` installs it. */
const parser = join(root, 'tools/check/node_modules/@actions/workflow-parser');

test.each(workflows)('$name runs what is there, and pins its actions', ({ text }) => {
  expect(faultsIn(text)).toEqual([]);
});

test.each([
  ['deploy.yml', 'npm run smoke', 'npm run smokes'],
  ['deploy.yml', 'npx cdk', 'npx ckd'],
  ['deploy.yml', 'node infra/app.ts', 'node infra/apps.ts'],
  ['nightly.yml', 'node tools/github/report-night.ts', 'node tools/github/report.ts'],
  ['deploy.yml', /checkout@\w+ # v/, 'checkout@v'],
  ['deploy.yml', '# v5.0.0', '# v5'],
  ['check.yml', 'run: .ci/run', 'run: .ci/runs'],
  ['check.yml', './.github/workflows/deploy.yml', './.github/workflows/gone.yml'],
  ['nightly.yml', '- npm run mutation:leads', '- npm run mutation:gone'],
  ['nightly.yml', 'test/faults/every-fault', 'test/faults/…'],
])('%s in which %s is %s is refused', (name, right, wrong) => {
  expect(faultsIn(textOf(name).replace(right, wrong))).toHaveLength(1);
});

test('each night, each mutation is tried, and all that a change need not wait for', () => {
  const commands = [...textOf('nightly.yml').matchAll(/^ {10}- (.+)$/gm)].map(
    ([, line = '']) => line,
  );
  const mutations = Object.keys(scripts).filter((name) => name.startsWith('mutation'));
  expect(mutations.length).toBeGreaterThan(2);
  expect(commands).toEqual(expect.arrayContaining(mutations.map((name) => `npm run ${name}`)));
  expect(commands.filter((one) => /FAULTS=all|simulate|bench/.test(one))).toHaveLength(3);
});

test('an older run of a pull request is cancelled, and no other', () => {
  for (const { name, text } of workflows.filter(({ text }) => /^ {2}pull_request:/m.test(text))) {
    const [, group, cancel] =
      /^concurrency:\n {2}group: (.*)\n {2}cancel-in-progress: (.*)$/m.exec(text) ?? [];
    const told = [name, group, cancel];
    const id = 'github.event.pull_request.number || github.run_id';
    expect(told).toEqual([name, `$\{{ github.workflow }}-$\{{ ${id} }}`, 'true']);
  }
  expect(workflows.filter(({ text }) => text.includes('cancel-in-progress')).length).toBe(2);
});

test('a night that fails or hangs is reported, and no other', () => {
  const report = jobsIn(textOf('nightly.yml')).get('report');
  expect(report).toContain('needs: run\n');
  expect(report).toContain("if: always() && needs.run.result != 'success'\n");
  expect(report).toContain('issues: write\n');
});

test('a job that hangs ends: each has a limit of its time', () => {
  for (const { name, text } of workflows) {
    const jobs = [...text.matchAll(/^ {4}runs-on: /gm)];
    expect([name, text.match(/^ {4}timeout-minutes: \d+$/gm)?.length]).toEqual([name, jobs.length]);
  }
});

test('the client is tried on the oldest Node.js that it takes, which is enough to work here', () => {
  const { engines } = JSON.parse(read('packages/client/package.json'));
  const [, oldest] = /^ {8}node: \[(.+?),/m.exec(textOf('systems.yml')) ?? [];
  expect(`>=${oldest}`).toBe(`${engines.node}.0`);
  expect(JSON.parse(read('package.json')).engines.node).toBe(engines.node);
  for (const page of ['README.md', 'CONTRIBUTING.md']) {
    const [, wanted] = /You need Node\.js ([\d.]+) or later/.exec(read(page)) ?? [];
    expect(`>=${wanted}`).toBe(engines.node);
  }
});

test('Dependabot looks at each lock file', () => {
  const locks = globSync('**/package-lock.json', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name.startsWith('.'),
  });
  const named = [...read('.github/dependabot.yml').matchAll(/(?:directory:|-) (\/\S*)$/gm)];
  expect(locks.length).toBeGreaterThan(3);
  expect([...new Set(named.map(([, directory]) => directory))].sort()).toEqual(
    locks.map((lock) => join('/', dirname(lock))).sort(),
  );
});

describe.skipIf(!existsSync(parser))("GitHub's own parser", () => {
  let workflowFaults: (text: string) => Promise<string[]>;
  let bundle: string;

  beforeAll(async () => {
    bundle = join(await mkdtemp(join(tmpdir(), 'workflows-test-')), 'parser.cjs');
    // Node.js does not load the package as it is: it is made for bundlers.
    await build({
      entryPoints: [join(root, 'tools/check/workflow-faults.js')],
      bundle: true,
      platform: 'node',
      outfile: bundle,
    });
    ({ workflowFaults } = createRequire(import.meta.url)(bundle));
  });
  afterAll(() => rm(dirname(bundle), { recursive: true }));

  test.each(workflows)('finds nothing in $name', async ({ text }) => {
    expect(await workflowFaults(text)).toEqual([]);
  });

  test.each([
    ['deploy.yml', 'runs-on:', 'run-on:'],
    ['deploy.yml', 'needs: build', 'needs: builds'],
    ['check.yml', 'needs: staging', 'needs: stagings'],
  ])('finds in %s that %s is %s', async (name, right, wrong) => {
    const text = textOf(name);
    expect(text).toContain(right);
    expect(await workflowFaults(text.replace(right, wrong))).not.toEqual([]);
  });
});
