import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { issuerLike } from '@leads-and-stars/runner';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type Ran, startScript } from '../../support/command-line.ts';
import { FaultProxy } from '../../support/faults/fault-proxy.ts';
import type { ProxyRequest } from '../../support/faults/step.ts';
import { type DeployedAs, startFakeAws } from './fake-aws.ts';
import { cwd, main, smoke, told, useOwnDirectory } from './smoke.ts';

// What `--stack` asks AWS. There is none here: the API, the table and the bus are the running service's, the rest is told
// by a server that speaks as AWS does.
// @module-tag long

useOwnDirectory();

const service = inject('service');
const idToken = await (await issuerLike(service.issuerIdentity)).idToken(randomUUID());

const outputs = {
  BaseUrl: service.baseUrl,
  EventsInBus: service.eventBusName,
  EventsOutBus: 'LeadsAndStars-events-out',
  TableName: service.tableName,
  AlarmTopic: 'arn:aws:sns:us-east-1:000000000000:alarms',
  UserPoolId: 'us-east-1_pool',
  Audience: service.audience,
};
const asExpected: DeployedAs = {
  outputs,
  templateFile: join(service.directory, 'LeadsAndStars.template.json'),
  eventsFile: service.eventsFile,
  tableEndpoint: service.tableEndpoint,
  eventsEndpoint: service.eventsEndpoint,
  idToken,
};

const args = ['--stack', 'LeadsAndStars', '--wait', '600'];

const account = async (deployed: Partial<DeployedAs>) => {
  const aws = await startFakeAws({ ...asExpected, ...deployed });
  onTestFinished(aws.close);
  const variables: Record<string, string> = {
    AWS_ENDPOINT_URL: aws.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'fake',
    AWS_SECRET_ACCESS_KEY: 'fake',
  };
  const asked = (pattern: RegExp) =>
    aws.operations
      .filter((one) => pattern.test(one))
      .map((one) => one.replace(/(?<= in PLATFORM#)[0-9a-f-]{36}$/, '<id>'));
  return { variables, asked, users: aws.users };
};

const smokeStack = async (deployed: Partial<DeployedAs>, more: Record<string, string> = {}) => {
  const { variables, ...aws } = await account(deployed);
  return { ran: await smoke(args, { ...variables, ...more }), ...aws };
};

/** Whatever is made and removed outside of the API, in this order. */
const makesAndRemoves = /Create|Put|Delete|Remove|Password/;

const removals = [
  'dynamodb:DeleteItem in PLATFORM#<id>',
  'dynamodb:DeleteItem in PLATFORM#',
  'dynamodb:DeleteItem in REQUESTS#PLATFORM#',
  'AWSCognitoIdentityProviderService.AdminDeleteUser',
  'AWSEvents.RemoveTargets',
  'AWSEvents.DeleteRule',
  'AmazonSQS.DeleteQueue',
];

/** The permission that an operation needs; undefined for what needs none. */
const permissionOf = (operation: string): string | undefined => {
  const [service = '', action = ''] = operation.split('.');
  if (operation.startsWith('dynamodb:')) return operation.split(' ')[0];
  if (service === 'AmazonSQS') return `sqs:${action}`;
  if (service === 'AWSEvents') return `events:${action}`;
  if (service.startsWith('AWSCognito')) {
    return action === 'InitiateAuth' ? undefined : `cognito-idp:${action}`;
  }
  if (operation.includes('/event-source-mappings/')) return 'lambda:GetEventSourceMapping';
  if (operation.includes('/account-settings')) return 'lambda:GetAccountSettings';
  if (operation === 'GetTopicAttributes') return `sns:${operation}`;
  return `cloudformation:${operation}`;
};

test('a deployment is as expected; what was made for that is removed; the pipeline’s role may do that, and no more', async () => {
  const { ran, asked, users } = await smokeStack({ mostAtOnce: 100 });
  expect(told(ran, 'differs')).toEqual([]);
  expect([told(ran, 'warning'), told(ran, 'not tried')]).toEqual([[], []]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(told(ran, 'ok').length).toBe(26);
  expect(asked(makesAndRemoves)).toEqual([
    'AmazonSQS.CreateQueue',
    'AWSEvents.PutRule',
    'AWSEvents.PutTargets',
    'AWSCognitoIdentityProviderService.AdminCreateUser',
    'AWSCognitoIdentityProviderService.AdminSetUserPassword',
    'dynamodb:PutItem in PLATFORM#<id>',
    'dynamodb:PutItem in PLATFORM#',
    'AWSEvents.PutEvents',
    ...removals,
  ]);
  expect([...users]).toEqual([]);

  const file = join(import.meta.dirname, '../../../.github/aws/role.json');
  const { Statement } = JSON.parse(readFileSync(file, 'utf8'));
  const allowed = Statement.flatMap(({ Action }: { Action: string | string[] }) => Action);
  const needed = new Set(asked(/./).flatMap((one) => permissionOf(one) ?? []));
  expect(allowed.sort()).toEqual([...needed, 'sts:AssumeRole'].sort());
  const { Condition } = Statement.find(({ Sid }: { Sid: string }) => /PlatformKeys/.test(Sid));
  const partitions: string[] = Condition['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
  const isOpen = (one: string) =>
    partitions.some(
      (like) => one === like || (like.endsWith('*') && one.startsWith(like.slice(0, -1))),
    );
  const used = asked(/^dynamodb:/).map((one) => one.split(' in ')[1] ?? '');
  expect([...used, 'ORG#1', 'REQUESTS#1'].filter((one) => !isOpen(one))).toEqual([
    'ORG#1',
    'REQUESTS#1',
  ]);
});

test('a deployment that differs in all that is looked at, whose listener can’t be deleted either', async () => {
  const { ran, asked } = await smokeStack({
    stackStatus: 'UPDATE_ROLLBACK_COMPLETE',
    isProtected: false,
    mapping: 'Disabled',
    refuses: 'AWSEvents.RemoveTargets',
  });
  expect(ran.code).toBe(1);
  expect(told(ran, 'differs')).toEqual([
    'the deployment is complete, and protected from deletion The stack is UPDATE_ROLLBACK_COMPLETE. The stack has no termination protection.',
    expect.stringMatching(/^records and messages .*function:Fake-numberChanges is Disabled\.$/),
  ]);
  expect(ran.stderr).toMatch(
    /^Remove by hand what is left: the target of the rule LeadsAndStars-smoke-\w+ \(no AWSEvents/,
  );
  expect(asked(/Delete/)).toEqual(removals.filter((one) => !one.endsWith('RemoveTargets')));
});

test('a new account, and alarms that nobody hears, are warned of, on GitHub too, and no failure', async () => {
  const deployed = { mostAtOnce: 10, alarmListeners: { confirmed: 0, pending: 1 } };
  const { ran } = await smokeStack(deployed, { GITHUB_ACTIONS: 'true' });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const warnings = ran.stdout.split('\n').filter((line) => line.startsWith('::warning::'));
  expect(warnings).toEqual([
    expect.stringMatching(/^::warning::It lets 10 run, .*docs\/deploy\.md/),
    expect.stringMatching(/^::warning::NOBODY HEARS OF ALARMS\. .* follow the link .* alarm_email/),
  ]);
  expect(ran.stdout).toMatch(/\n24 as expected, 0 with .*, 0 not tried, 2 to be warned of\.\n$/);
});

test('what its credentials may not do is told as that, and nothing is left', async () => {
  const { ran, asked } = await smokeStack({
    refuses: 'AWSEvents.PutRule',
    alarmListeners: { confirmed: 0, pending: 0 },
    idToken: undefined,
  });
  expect(ran).toMatchObject({ code: 1, stderr: '' });
  expect(told(ran, 'warning')).toEqual([expect.stringMatching(/ Write alarm_email into the depl/)]);
  expect(told(ran, 'differs')).toEqual([
    expect.stringMatching(/^the bus of outgoing events can .* no AWSEvents\.PutRule for you$/),
  ]);
  expect(told(ran, 'not tried')).toEqual([
    expect.stringMatching(/^a user who logs in .* asks for SOFTWARE_TOKEN_MFA .* LEADS_TOKEN\.$/),
    expect.stringMatching(/^a token that somebody else .* There is no token whose signature /),
    'what has happened is sent to the bus Nobody listens to the bus.',
  ]);
  expect(asked(/Delete|Remove/)).toEqual(removals.filter((one) => !one.startsWith('AWSEvents')));
});

test('with an issuer of one’s own, the token of a user is tried', async () => {
  const { UserPoolId: _, ...own } = outputs;
  const { ran, asked } = await smokeStack({ outputs: own as never }, { LEADS_TOKEN: 'no token' });
  expect(told(ran, 'differs')).toEqual([
    expect.stringMatching(/^a user who logs in is known GET \/me: The status is 401 instead/),
  ]);
  expect(asked(/Cognito/)).toEqual([]);
});

/** Runs it before a proxy that strikes when a lead has been made, and returns what it has made. */
const runStruck = async (
  strike: (process: ReturnType<typeof startScript>['process']) => unknown,
  isAnswered: boolean,
) => {
  const seen: { key?: string; lead?: string; webhook?: string } = {};
  const note = ({ method, url, headers, body }: ProxyRequest) => {
    if (method !== 'POST' || !headers.authorization || seen.lead) return false;
    const sent = JSON.parse(body.toString() || '{}');
    if (url === '/v1/webhooks') seen.webhook ??= sent.description;
    // Before its own lead, each run asks the function with an empty one.
    if (url !== '/v1/leads' || !sent.external_id) return false;
    Object.assign(seen, { key: headers.authorization, lead: sent.external_id });
    return true;
  };
  const proxy = await FaultProxy.start(service.baseUrl, [
    async (request, pass) => {
      const strikes = note(request);
      const reply = await pass();
      if (strikes) await strike(running.process);
      return strikes && !isAnswered ? undefined : reply;
    },
  ]);
  onTestFinished(() => proxy.close());
  const BaseUrl = proxy.endpoint.replace('127.0.0.1', 'localhost');
  const { variables, asked, users } = await account({ outputs: { ...outputs, BaseUrl } });
  const running = startScript(main, args, { cwd, variables });
  const ran: Ran = await running.ended;
  return { ran, asked, users, seen };
};

const ask = async (path: string, authorization = `Bearer ${service.platformKey}`) => {
  const headers = { authorization, 'x-organization-id': '5b1c7f0e-3d52-4c6a-9a57-2f6d1d0c8b11' };
  const response = await fetch(`${service.baseUrl}${path}`, { headers });
  const { items } = (await response.json()) as { items?: { description?: string }[] };
  return { status: response.status, items };
};

test.each<[string, (process: ReturnType<typeof startScript>['process']) => unknown, boolean]>([
  ['stopped by Ctrl-C', (process) => process.kill('SIGINT'), true],
  ['whose output is closed', (process) => process.stdout?.destroy(), true],
  ['that loses the answer to its lead', () => {}, false],
])('a run %s leaves nothing', async (what, strike, isAnswered) => {
  const { ran, asked, users, seen } = await runStruck(strike, isAnswered);
  expect(ran.code, what).toBe(1);
  expect(seen).toEqual({
    key: expect.stringContaining('Bearer '),
    lead: expect.stringContaining('smoke-'),
    webhook: expect.stringContaining('Smoke test '),
  });
  expect(asked(/Delete|Remove/)).toEqual(removals);
  expect([...users]).toEqual([]);
  expect(await ask('/organization', seen.key)).toMatchObject({ status: 401 });
  expect(await ask('/organization')).toMatchObject({ status: 200 });
  expect(await ask(`/leads?external_id=${seen.lead}`)).toEqual({ status: 200, items: [] });
  const { items = [] } = await ask('/webhooks');
  expect(items.map(({ description }) => description)).not.toContain(seen.webhook);
});
