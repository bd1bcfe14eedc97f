import { dirname, join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startScript } from '../../support/command-line.ts';
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
const [{ code } = { code: '' }] = service.functions;
const asExpected: DeployedAs = {
  outputs,
  templateFile: join(dirname(code), 'LeadsAndStars.template.json'),
  eventsFile: service.eventsFile,
};

const args = [
  '--stack',
  'LeadsAndStars',
  '--region',
  'us-east-1',
  '--organization',
  organization.id,
];

const account = async (deployed: Partial<DeployedAs>) => {
  const aws = await startFakeAws({ ...asExpected, ...deployed });
  onTestFinished(aws.close);
  const variables = {
    AWS_ENDPOINT_URL: aws.endpoint,
    AWS_ACCESS_KEY_ID: 'fake',
    AWS_SECRET_ACCESS_KEY: 'fake',
    PLATFORM_KEY: service.platformKey,
    LEADS_TOKEN: organization.tokens.agent,
  };
  const asked = (pattern: RegExp) => aws.operations.filter((one) => pattern.test(one));
  return { variables, asked };
};

const smokeStack = async (deployed: Partial<DeployedAs>) => {
  const { variables, asked } = await account(deployed);
  return { ran: await smoke(args, variables), asked };
};

test('a deployment is as expected; what was made to listen to its events is deleted', async () => {
  const { ran, asked } = await smokeStack({ mostAtOnce: 100 });
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

test('a deployment that differs in all that is looked at, whose listener can’t be deleted either', async () => {
  const name = 'x-amazon-apigateway-integration';
  const { ran, asked } = await smokeStack({
    stackStatus: 'UPDATE_ROLLBACK_COMPLETE',
    isProtected: false,
    mapping: 'Disabled',
    mostAtOnce: 99,
    refuses: 'AWSEvents.RemoveTargets',
    changeApi: ({ paths, 'x-amazon-apigateway-gateway-responses': refusals }) => {
      const { get, post, options } = paths['/leads'];
      get[name].uri = post[name].uri;
      get[name].timeoutInMillis = 29_000;
      post[name].credentials = undefined;
      delete paths['/me'].get;
      paths['/old'] = { get: structuredClone(get) };
      options[name].responses.default.responseParameters['method.response.header.Vary'] = "'*'";
      delete paths['/leads/search'].options;
      refusals.THROTTLED.statusCode = '430';
      delete refusals.DEFAULT_4XX.responseTemplates;
      delete refusals.WAF_FILTERED;
    },
  });
  expect(ran.code).toBe(1);
  expect(told(ran, 'differs')).toEqual([
    'the deployment is complete, and protected from deletion The stack is UPDATE_ROLLBACK_COMPLETE. The stack has no termination protection.',
    expect.stringMatching(/^records and messages .*function:Fake-numberChanges is Disabled\.$/),
    expect.stringMatching(/^the account lets .* It lets 99 run, .*docs\/deploy\.md/),
    expect.stringMatching(/^the deployed API has the routes, preflights and refusals of the temp/),
  ]);
  const ofApi = ran.stdout.split(/\n(?=\S)/).find((part) => part.includes('the deployed API has'))!;
  const [, ...sentences] = ofApi.split('\n').map((line) => line.trim());
  expect(sentences.sort()).toEqual([
    'GET /leads: function is LeadsAndStars-createLead instead of LeadsAndStars-listLeads.',
    'GET /leads: timeoutInMillis is 29000 instead of 10000.',
    'GET /me is not there.',
    'GET /old is there, and not in the template.',
    'OPTIONS /leads/search is not there.',
    expect.stringMatching(/^OPTIONS \/leads: .*header\.Vary is '\*' instead of 'Origin'\.$/),
    expect.stringMatching(/^POST \/leads: role is none instead of Fake-ApiInvoker\w+-4QW2\.$/),
    expect.stringMatching(/^The refusal DEFAULT_4XX: .*\/json is not there instead of {"error"/),
    'The refusal THROTTLED: statusCode is 430 instead of 429.',
    'The refusal WAF_FILTERED is not there.',
  ]);
  expect(ran.stderr).toMatch(/^The rule or the queue LeadsAndStars-smoke-\w+ could not be deleted/);
  expect(asked(/Delete/)).toEqual(['AWSEvents.DeleteRule', 'AmazonSQS.DeleteQueue']);
});

test('stopped by Ctrl-C, it leaves nothing', async () => {
  const { variables, asked } = await account({});
  const running = startScript(main, args, { cwd, variables });
  await eventually(
    () => asked(/PutTargets/).length,
    (count) => count > 0,
  );
  running.process.kill('SIGINT');
  expect((await running.ended).code).toBe(1);
  expect(asked(/Delete/)).toEqual(['AWSEvents.DeleteRule', 'AmazonSQS.DeleteQueue']);
});
