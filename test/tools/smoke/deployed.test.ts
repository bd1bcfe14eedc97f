import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, inject, onTestFinished, test } from 'vitest';
import { given } from '../../support/command-line.ts';
import { eventually } from '../../support/eventually.ts';
import { provision } from '../../support/organization.ts';
import { type DeployedAs, startFakeAws } from './fake-aws.ts';
import { cwd, main, smoke, told, useOwnDirectory } from './smoke.ts';

// What `--stack` asks AWS. There is none here: the API is the running service's, the rest is told by a server
// that speaks as AWS does.
// @module-tag long

useOwnDirectory();

const service = inject('service');
const organization = await provision();

const outputs = { BaseUrl: service.baseUrl, EventsOutBus: 'LeadsAndStars-events-out' };
const asExpected: DeployedAs = {
  outputs,
  lambdaEndpoint: service.lambdaEndpoint,
  eventsFile: service.eventsFile,
  pipe: { CurrentState: 'RUNNING' },
};

const args = ['--stack', 'LeadsAndStars', '--region', 'us-east-1'];

const account = async (deployed: Partial<DeployedAs>, token?: string) => {
  const aws = await startFakeAws({ ...asExpected, ...deployed });
  onTestFinished(aws.close);
  const variables = {
    AWS_ENDPOINT_URL: aws.endpoint,
    AWS_ACCESS_KEY_ID: 'fake',
    AWS_SECRET_ACCESS_KEY: 'fake',
    ...(token && { LEADS_TOKEN: token }),
  };
  const asked = (pattern: RegExp) => aws.operations.filter((one) => pattern.test(one));
  return { variables, asked };
};

const smokeStack = async (deployed: Partial<DeployedAs>, token?: string) => {
  const { variables, asked } = await account(deployed, token);
  const ran = await smoke(
    [...args, ...(token ? ['--organization', organization.id] : [])],
    variables,
  );
  return { ran, asked };
};

test('a deployment is as expected; what was made to listen to its events is deleted', async () => {
  const { ran, asked } = await smokeStack({}, organization.tokens.agent);
  expect([told(ran, 'differs'), told(ran, 'not tried')]).toEqual([[], []]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(told(ran, 'ok')).toContain('its events are sent to the bus');
  expect(asked(/Create|Put|Delete|Remove/)).toEqual([
    'AmazonSQS.CreateQueue',
    'AWSEvents.PutRule',
    'AWSEvents.PutTargets',
    'AWSEvents.RemoveTargets',
    'AWSEvents.DeleteRule',
    'AmazonSQS.DeleteQueue',
  ]);
});

test('without a token nothing is made, and what that leaves out is said', async () => {
  const { ran, asked } = await smokeStack({});
  expect(ran.code).toBe(0);
  expect(told(ran, 'not tried')).toEqual([
    expect.stringMatching(/^a lead .* It takes --organization ID, and a token .* LEADS_TOKEN/),
    expect.stringMatching(/^its events .* No lead is made\.$/),
  ]);
  expect(asked(/SQS|Events/)).toEqual([]);
});

test('a deployment that was rolled back, and a pipe and a mapping that stand still', async () => {
  const { ran } = await smokeStack({
    stackStatus: 'UPDATE_ROLLBACK_COMPLETE',
    isProtected: false,
    pipe: { CurrentState: 'CREATE_FAILED', StateReason: 'Cannot access stream' },
    mapping: 'Disabled',
  });
  expect(ran.code).toBe(1);
  expect(told(ran, 'differs')).toEqual([
    'the deployment is complete, and protected from deletion The stack is UPDATE_ROLLBACK_COMPLETE. The stack has no termination protection.',
    'the pipe of outgoing events runs Fake-events-out-1 is CREATE_FAILED: Cannot access stream.',
    expect.stringMatching(/^records and messages .*function:Fake-numberChanges is Disabled\.$/),
  ]);
});

test.each([
  [10, [expect.stringMatching(/^the account lets .* It lets 10 run, .*docs\/deploy\.md/)]],
  [99, [expect.stringMatching(/It lets 99 run/)]],
  [100, []],
])('an account that lets %i functions run at once', async (mostAtOnce, differs) => {
  const { ran } = await smokeStack({ mostAtOnce });
  expect(told(ran, 'differs')).toEqual(differs);
});

test('where it may not listen, it leaves nothing and says why in one line', async () => {
  const { ran, asked } = await smokeStack(
    { refuses: 'AWSEvents.PutTargets' },
    organization.tokens.agent,
  );
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^AccessDenied: no AWSEvents.PutTargets for you\n$/);
  expect(asked(/Delete/)).toEqual(['AWSEvents.DeleteRule', 'AmazonSQS.DeleteQueue']);
});

test('stopped by Ctrl-C, it leaves nothing', async () => {
  const { variables, asked } = await account({}, organization.tokens.agent);
  const running = spawn(process.execPath, [main, ...args, '--organization', organization.id], {
    cwd,
    env: { ...given, HOME: cwd, ...variables },
  });
  const ended = once(running, 'exit');
  await eventually(
    () => asked(/PutTargets/).length,
    (count) => count > 0,
  );
  running.kill('SIGINT');
  expect(await ended).toEqual([1, null]);
  expect(asked(/Delete/)).toEqual(['AWSEvents.DeleteRule', 'AmazonSQS.DeleteQueue']);
});

test('what can’t be deleted is named', async () => {
  const { ran, asked } = await smokeStack(
    { refuses: 'AWSEvents.RemoveTargets' },
    organization.tokens.agent,
  );
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/^The rule or the queue LeadsAndStars-smoke-\w+ could not be deleted/);
  expect(asked(/Delete/)).toEqual(['AWSEvents.DeleteRule', 'AmazonSQS.DeleteQueue']);
});
