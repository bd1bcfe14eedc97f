import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadOperations } from '../../infra/operations.ts';
import { synthesized } from './synthesized.ts';
import type { Resources } from './template/references.ts';

// What `docs/deploy.md` and the runbooks name is what the template has.

const docs = join(import.meta.dirname, '../../docs');
const guide = readFileSync(join(docs, 'deploy.md'), 'utf8');
const resources = synthesized().toJSON().Resources as Resources;

const isKept = (resource: object) =>
  'DeletionPolicy' in resource && resource.DeletionPolicy === 'Retain';

/** A section by its heading. */
const section = (heading: string): string =>
  guide.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`)) ?? '';

test('it names everything that a failed first deployment leaves behind', () => {
  const kept = Object.entries(resources)
    .filter(([, resource]) => isKept(resource))
    .map(([id]) => id.replace(/[0-9A-F]{8}$/, ''));
  expect(kept).toContain('Table');
  const [list = ''] =
    /^- .*\.\n$/ms.exec(section('If the first deployment fails').split('1. ')[0]!) ?? [];
  const names = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(names.sort()).toEqual(kept.sort());
});

const runbooks = readdirSync(join(docs, 'runbooks'))
  .map((file) => readFileSync(join(docs, 'runbooks', file), 'utf8'))
  .join('\n');

test('where a queue is looked for by the beginning of its name, one queue has it; to clean up, all that are kept', () => {
  const queues = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::SQS::Queue');
  const kept = queues.filter(([, one]) => isKept(one));
  const found = (prefix: string) =>
    queues.filter(([id]) => `LeadsAndStars-${id}`.startsWith(prefix)).map(([id]) => id);
  const wanted = /--queue-name-prefix (\S+)(?: \\\n *| )?(--query 'QueueUrls\[0\]')?/g;
  const prefixes = [...`${guide}${runbooks}`.matchAll(wanted)];
  const ofOne = prefixes.filter(([, , first]) => first).map(([, prefix]) => prefix!);
  const ofAll = prefixes.filter(([, , first]) => !first).map(([, prefix]) => prefix!);
  expect([ofOne.length, ofAll.length]).toEqual([4, 2]);
  for (const prefix of ofOne) expect([prefix, found(prefix).length]).toEqual([prefix, 1]);
  for (const prefix of ofAll) expect(found(prefix)).toEqual(kept.map(([id]) => id));
});

test('a runbook empties only queues that no function takes from', () => {
  const blocks = [...runbooks.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!);
  const prefixes = blocks
    .filter((block) => block.includes('purge-queue'))
    .flatMap((block) => [...block.matchAll(/--queue-name-prefix (\S+)/g)].map(([, one]) => one!));
  expect(prefixes.length).toBe(2);
  const inUse = Object.values(resources)
    .filter(({ Type }) => Type === 'AWS::Lambda::EventSourceMapping')
    .map(({ Properties }) => Properties.EventSourceArn['Fn::GetAtt']?.[0])
    .filter((id) => resources[id]?.Type === 'AWS::SQS::Queue');
  expect(inUse.length).toBeGreaterThan(2);
  for (const prefix of prefixes) {
    const found = inUse.filter((id) => `LeadsAndStars-${id}`.startsWith(prefix));
    expect([prefix, found]).toEqual([prefix, []]);
  }
});

test('a restore stops every function that writes, and starts each again', async () => {
  const writes = /PutItem|UpdateItem|DeleteItem/;
  const operations = (await loadOperations()).map(({ operation }) => operation);
  const writers = operations.filter(({ table }) => table.some((grant) => writes.test(grant)));
  const idsOf = (kind: string) => writers.filter((one) => one.kind === kind).map(({ id }) => id);
  expect(idsOf('routed').length).toBeGreaterThan(5); // The stage is throttled for these.
  const restore = section('Restore a backup');
  const consumers = [...restore.matchAll(/--function-name LeadsAndStars-(\w+)/g)];
  expect(consumers.map(([, id]) => id)).toEqual(idsOf('queue'));
  const mappings = [...restore.matchAll(/update-event-source-mapping .* --(no-)?enable/g)];
  expect(mappings.map(([, no]) => no)).toEqual(['no-', undefined]);
  // The stream's writes only numbers, which the restored table gets anew, before anything is let in.
  expect(idsOf('stream')).toEqual(['numberChanges']);
  expect(restore.indexOf('changes number')).toBeGreaterThan(restore.indexOf('cdk deploy'));
  expect(restore.indexOf('changes number')).toBeLessThan(restore.indexOf('# 5.'));
});

test('a restore gives the stage back the limits that it had, and says those of other deployments', () => {
  const limitsOf = (perSecond?: number) => {
    const options = perSecond ? { stage_requests_per_second: perSecond } : {};
    const [stage] = Object.values(synthesized(options).findResources('AWS::ApiGateway::Stage'));
    const [{ ThrottlingRateLimit, ThrottlingBurstLimit }] = stage!.Properties.MethodSettings;
    return [ThrottlingRateLimit, ThrottlingBurstLimit];
  };
  const set = [...section('Restore a backup').matchAll(/(?:rate|burst)Limit,value=(\d+)/g)];
  expect(set.map(([, value]) => Number(value))).toEqual([0, 0, ...limitsOf()]);
  expect(section('Restore a backup')).toContain(
    'With stage_requests_per_second N: N and half of it',
  );
  expect(limitsOf(7000)).toEqual([7000, 3500]);
});

/** The block of commands in a section of the guide that has this text. */
const commandsWith = (heading: string, text: string): string => {
  const blocks = section(heading).matchAll(/^( *)```sh\n(.*?)\n\1```$/gms);
  return [...blocks].map(([, , block]) => block!).find((block) => block.includes(text)) ?? '';
};

/**
 * Runs commands of the guide in the project's directory. In place of each program named, one notes what it is given, as
 * arguments and by a pipe, and says what is told.
 */
const runGuide = (
  commands: string,
  programs: Record<string, string>,
  variables: Record<string, string>,
) => {
  const directory = mkdtempSync(join(tmpdir(), 'guide-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const notes = join(directory, 'notes');
  writeFileSync(notes, '');
  for (const [name, says] of Object.entries(programs)) {
    const script = `#!/bin/sh
      case "$*" in *file:///dev/stdin*) piped=$(cat) ;; *) piped= ;; esac
      printf '%s\\037' "$@" "$piped" >> '${notes}'
      printf '\\036' >> '${notes}'
      echo '${says}'`;
    writeFileSync(join(directory, name), script, { mode: 0o755 });
  }
  const PATH = [directory, dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH, ...variables };
  const cwd = join(import.meta.dirname, '../..');
  execFileSync('bash', ['-euc', commands], { cwd, env });
  const calls = readFileSync(notes, 'utf8').split('\u001e').slice(0, -1);
  return calls.map((call) => {
    const all = call.split('\u001f').slice(0, -1);
    return { args: all.slice(0, -1), piped: all.at(-1)! };
  });
};

const after = (args: readonly string[], option: string) => args[args.indexOf(option) + 1] ?? '';

test('a password reaches Cognito as it was typed, and no list of processes', () => {
  const PASSWORD = `a,b'c"d\\e $f\`g=}Ü1`;
  const commands = commandsWith('The first organization, and the first call', 'initiate-auth');
  const output = "output() { echo 'the $1'; }\n";
  const calls = runGuide(
    `${output}${commands}`,
    { aws: 'answer' },
    { EMAIL: 'a+b@c.example', PASSWORD },
  );
  const [made, set, loggedIn] = calls;
  expect(calls.map(({ args }) => args[1])).toEqual([
    'admin-create-user',
    'admin-set-user-password',
    'initiate-auth',
  ]);
  expect(after(made!.args, '--username')).toBe('a+b@c.example');
  expect(JSON.parse(set!.piped)).toMatchObject({ Password: PASSWORD, Permanent: true });
  expect(JSON.parse(loggedIn!.piped)).toMatchObject({
    AuthFlow: 'USER_PASSWORD_AUTH',
    AuthParameters: { USERNAME: 'a+b@c.example', PASSWORD },
  });
  expect(calls.flatMap(({ args }) => args.filter((one) => one.includes(PASSWORD)))).toEqual([]);
});

test('the guide has no password that one could copy', () => {
  expect(guide).not.toMatch(/PASSWORD='|password[ "]*[:=] *'/i);
});

test('the pipeline’s role is for one environment of one repository, and nothing in it is left to fill in', () => {
  const commands = commandsWith('From GitHub', 'create-role');
  const subject = 'repo:owner@1/NAMES@2';
  const calls = runGuide(
    commands.replace(/^( *)ACCOUNT=.*$/m, '$1ACCOUNT=123456789012'),
    { aws: 'arn', gh: subject },
    { AWS_REGION: 'eu-west-1' },
  );
  const documents = calls.flatMap(({ args }) =>
    args.filter((_, i) => /-policy-document$|^--policy-document$/.test(args[i - 1] ?? '')),
  );
  const [trust, role] = documents.map((one) => JSON.parse(one));
  expect(trust.Statement).toEqual([
    expect.objectContaining({
      Principal: {
        Federated: 'arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com',
      },
      Condition: {
        StringEquals: {
          'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
          'token.actions.githubusercontent.com:sub': `${subject}:environment:staging`,
        },
      },
    }),
  ]);
  expect(JSON.stringify(role)).not.toMatch(/ACCOUNT|REGION|NAME/);
  const statements: { Action: string | string[]; Resource: string | string[] }[] = role.Statement;
  const onEverything = statements.filter(({ Resource }) => [Resource].flat().includes('*'));
  expect(onEverything.flatMap(({ Action }) => Action)).toEqual(['lambda:GetAccountSettings']);
  expect(statements[0]).toMatchObject({
    Action: 'sts:AssumeRole',
    Resource: 'arn:aws:iam::123456789012:role/cdk-hnb659fds-*-123456789012-eu-west-1',
  });
});
