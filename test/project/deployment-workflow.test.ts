import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { jobsIn, scriptIn, textOf, workflows } from './workflows.ts';

/** Commands that can run scripts of packages, and a cache, which can be what a job left that ran them. */
const whatRunsScripts =
  /npm (?!ci --ignore-scripts$|run smoke\b).*|npx (?!cdk\b).*|\.ci\/.*|cache:.*/gm;

/**
 * Where a script of a package, or a file that another job left, could get at a deployment: beside the token that may
 * deploy, or in a job that such a job waits for.
 */
const waysToDeploy = (text: string): string[] => {
  const jobs = jobsIn(text);
  const hasToken = (name: string) => jobs.get(name)!.includes('id-token: write');
  return [...jobs.keys()].filter(hasToken).flatMap((name) => {
    const job = jobs.get(name)!;
    if (!job.includes('steps:')) return [];
    const needed = [...job.matchAll(/^ {4}needs: (\w+)$/gm)].map(([, one]) => one!);
    return [
      ...[job, ...needed.map((one) => jobs.get(one)!)].flatMap(
        (one) => one.match(whatRunsScripts) ?? [],
      ),
      ...(job.match(/cdk synth.*|cdk deploy (?!--app assembly\/).*/g) ?? []),
      ...needed.filter(hasToken),
    ];
  });
};

test.each(workflows)(
  '$name lets no script of a package deploy, or change what is deployed',
  ({ text }) => {
    expect(waysToDeploy(text)).toEqual([]);
  },
);

const install = 'npm ci --ignore-scripts';
test.each([
  ['to build', install, 'npm ci'],
  ['to deploy', new RegExp(`(?<=id-token: write.*)${install}`, 's'), 'npm ci'],
  ['a package more', new RegExp(`(?<=id-token: write.*)${install}`, 's'), 'npm install tool'],
  ['what checks do', 'npx cdk deploy', '.ci/run'],
  ['the cache of other jobs', 'node-version-file: .nvmrc', 'cache: npm'],
  ['a synthesis beside the token', 'npx cdk deploy --app assembly/now', 'npx cdk deploy'],
  ['the token to build', 'deployments: read', 'id-token: write'],
])('a deployment’s way with %s is found', (_what, right, wrong) => {
  const text = textOf('deploy.yml');
  expect(waysToDeploy(text.replace(right, wrong)).length).toBeGreaterThan(0);
});

test('what was built is what is deployed', () => {
  const { build, deploy } = Object.fromEntries(jobsIn(textOf('deploy.yml')));
  const artifact = (job = '') =>
    /artifact@.*\n +with:\n +name: (.*)\n +path: (.*)\n/.exec(job)?.slice(1);
  expect(artifact(build)?.[1]).toBe('assembly');
  expect(artifact(deploy)).toEqual(artifact(build));
  const directories = (job = '') =>
    [...job.matchAll(/(?:--output|--app) \S*(assembly\/\w+)/g)].map(([, one]) => one);
  expect(directories(build)).toEqual(['assembly/now', 'assembly/before']);
  expect(directories(deploy)).toEqual(directories(build));
});

test('without the role of AWS, deploy.yml does nothing but say so, and production is not asked for', () => {
  const [, ...steps] = jobsIn(textOf('deploy.yml'))
    .get('deploy')!
    .split(/^ {6}- /m);
  const conditions = steps.map((step) => /^ *if: (.*)$/m.exec(step)?.[1]);
  expect(steps.length).toBeGreaterThan(5);
  expect(conditions).toEqual(
    steps.map((_, i) => {
      if (i === 0) return undefined;
      if (i < steps.length - 1) return 'steps.role.outputs.is_there';
      return "failure() && steps.smoke.outcome == 'failure' && inputs.goes_back";
    }),
  );
  expect(steps[0]).toContain('::notice ');
  expect(textOf('check.yml')).toMatch(
    /^ {2}production:\n(.*\n)+? {4}if: needs\.staging\.outputs\.deployed$/m,
  );
});

test.each([
  [
    'no role',
    '',
    '',
    /^::notice title=Not deployed::The environment staging has no variable AWS_ROLE/,
  ],
  ['a role', 'arn:aws:iam::123456789012:role/deploy', 'is_there=true\n', /^$/],
])('with %s, its first step says whether to go on', (_what, AWS_ROLE, output, said) => {
  const script = scriptIn(textOf('deploy.yml').split('- id: role\n')[1]!);
  const file = join(mkdtempSync(join(tmpdir(), 'workflows-test-')), 'output');
  writeFileSync(file, '');
  const env = { PATH: process.env.PATH, AWS_ROLE, DEPLOYMENT: 'staging', GITHUB_OUTPUT: file };
  // As GitHub runs it.
  const told = execFileSync('bash', ['-e', '-c', script], { env, encoding: 'utf8' });
  expect(told).toMatch(said);
  expect(readFileSync(file, 'utf8')).toBe(output);
  rmSync(dirname(file), { recursive: true });
});

test('the version before is synthesized from its own files, into the artifact', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'workflows-test-'));
  const origin = join(cwd, 'origin');
  const env = { PATH: process.env.PATH, HOME: cwd, DEPLOYMENT: 'production' };
  const bash = (script: string, more = {}) =>
    execFileSync('bash', ['-e', '-c', script], { cwd, env: { ...env, ...more }, encoding: 'utf8' });
  const as = '-c user.name=me -c user.email=me@localhost';
  const commit = (text: string) =>
    `echo ${text} > file; git add file; git ${as} commit -qm ${text};`;
  const COMMIT = bash(
    `git init -q origin; cd origin; ${commit('old')} git rev-parse HEAD; ${commit('new')}`,
  ).trim();
  bash(`git clone -q --depth 1 'file://${origin}' .clone; mv .clone/* .clone/.git .`);
  const script = scriptIn(textOf('deploy.yml').split('- if: steps.before.outputs.commit\n')[1]!);
  const echo = 'npm() { echo "npm $*, with the $(cat file) file"; }; npx() { echo "npx $*"; }\n';
  expect(bash(echo + script, { COMMIT }).split('\n')).toEqual([
    'npm ci --ignore-scripts, with the old file',
    expect.stringMatching(
      /^npx cdk synth .*-c deployment=production --output \.\.\/assembly\/before$/,
    ),
    '',
  ]);
  rmSync(cwd, { recursive: true });
});

test.each([
  [
    'goes back to the version before, where there is one',
    true,
    /^npx cdk deploy --app assembly\/before --require-approval never\n::error title=Went back::The smoke failed, so production/,
  ],
  ['says so where there is none', false, /^::error title=Did not go back::/],
])('after a smoke that failed, it %s', (_what, isThere, said) => {
  const script = scriptIn(textOf('deploy.yml').split("steps.smoke.outcome == 'failure'")[1]!);
  const cwd = mkdtempSync(join(tmpdir(), 'workflows-test-'));
  if (isThere) mkdirSync(join(cwd, 'assembly/before'), { recursive: true });
  const env = { PATH: process.env.PATH, DEPLOYMENT: 'production' };
  const echo = 'npx() { echo "npx $*"; }\n';
  const told = execFileSync('bash', ['-e', '-c', echo + script], { cwd, env, encoding: 'utf8' });
  expect(told).toMatch(said);
  rmSync(cwd, { recursive: true });
});

test('production goes back, and staging is left as it is, to be looked at', () => {
  const goesBack = [...jobsIn(textOf('check.yml'))].filter(([, job]) =>
    job.includes('goes_back: true'),
  );
  expect(goesBack.map(([name]) => name)).toEqual(['production']);
});
