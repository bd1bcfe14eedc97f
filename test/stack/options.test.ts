import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { build } from 'esbuild';
import { expect, test, vi } from 'vitest';
import { bundleOptions } from '../../infra/bundle-options.ts';
import { listFiles } from '../../infra/operations.ts';
import { OptionError, optionNames } from '../../infra/options.ts';
import { stripeEventTypes } from '../../lib/stripe/read-event.ts';
import { entryPoints } from '../../tools/service/bundles.ts';
import { domain, everyOption, issuer, restored, restoredArn, stripe } from './some-options.ts';
import { type Given, outdir, serviceApp, synthesized } from './synthesized.ts';
import { rolesOf } from './template/roles.ts';

const { certificate_arn } = domain;
const { table_stream_arn } = restored;

const template = synthesized({ deployment: 'second', ...everyOption });

test('a stack with all options serves its stage on the domain, and tells its DNS record', () => {
  template.hasResourceProperties('AWS::ApiGateway::DomainName', {
    DomainName: 'api.example.com',
    RegionalCertificateArn: certificate_arn,
    EndpointConfiguration: { Types: ['REGIONAL'] },
    SecurityPolicy: 'TLS_1_2',
  });
  const [stage] = Object.keys(template.findResources('AWS::ApiGateway::Stage'));
  template.hasResourceProperties('AWS::ApiGateway::BasePathMapping', {
    BasePath: 'v1',
    Stage: { Ref: stage },
  });
  template.hasOutput('BaseUrl', { Value: 'https://api.example.com/v1' });
  const [domain] = Object.keys(template.findResources('AWS::ApiGateway::DomainName'));
  const ofDomain = (name: string) => ({ Value: { 'Fn::GetAtt': [domain, name] } });
  template.hasOutput('DomainTarget', ofDomain('RegionalDomainName'));
  template.hasOutput('DomainTargetZone', ofDomain('RegionalHostedZoneId'));
});

test('a stack with all options limits each organization as told', () => {
  template.hasResourceProperties('AWS::Lambda::Function', {
    FunctionName: 'LeadsAndStars-second-createLead',
    Environment: { Variables: Match.objectLike({ REQUESTS_PER_SECOND: '10' }) },
  });
});

test('a stack with all options tells alarms by e-mail', () => {
  template.hasResourceProperties('AWS::SNS::Subscription', {
    Protocol: 'email',
    Endpoint: 'ops@example.com',
  });
});

test('a stack with all options works on the restored table: its functions, their permissions, its events', () => {
  template.resourceCountIs('AWS::DynamoDB::Table', 0);
  template.hasOutput('TableName', { Value: 'restored' });
  template.hasOutput('TableIdentity', { Value: table_stream_arn });
  const variables = { TABLE_NAME: 'restored', TABLE_IDENTITY: table_stream_arn };
  for (const id of ['createLead', 'listChanges', 'numberChanges']) {
    template.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: `LeadsAndStars-second-${id}`,
      Environment: { Variables: Match.objectLike(variables) },
    });
  }
  const mappings = template.findResources('AWS::Lambda::EventSourceMapping', {
    Properties: { EventSourceArn: table_stream_arn },
  });
  expect(Object.keys(mappings).length).toBe(2);
  const { Resources } = template.toJSON();
  const roles = [...rolesOf(Resources, 'lambda.amazonaws.com')];
  const [, createLead] = roles.find(([id]) => id.startsWith('createLeadRole'))!;
  expect(createLead).toContainEqual(
    expect.objectContaining({
      Action: 'dynamodb:PutItem',
      Resource: restoredArn,
    }),
  );
});

/** The rules that events have to match, and the setting of the function that takes them. */
const eventsIn = (options: Given) => {
  const made = synthesized(options);
  const functions = Object.values(made.findResources('AWS::Lambda::Function'));
  const modes = functions.flatMap(({ Properties }) => {
    const { STRIPE_LIVEMODE: mode } = Properties.Environment.Variables;
    return mode === undefined ? [] : [`${Properties.FunctionName} ${mode}`];
  });
  return { made, modes };
};

test('Stripe’s event source gets a bus, whose events go into the queue that billing’s events have', () => {
  const { stripe_event_source: source } = stripe;
  const { made, modes } = eventsIn(stripe);
  made.hasResourceProperties('AWS::Events::EventBus', { Name: source, EventSourceName: source });
  const [busId] = Object.entries(made.findResources('AWS::Events::EventBus')).find(
    ([, { Properties }]) => Properties.EventSourceName,
  )!;
  const rules = Object.values(made.findResources('AWS::Events::Rule'));
  const patterns = rules.filter(({ Properties }) => Properties.EventPattern);
  const [own, ofStripe, thin] = patterns.map(({ Properties }) => Properties);
  expect(ofStripe).toEqual({
    ...own,
    EventBusName: { Ref: busId },
    EventPattern: { source: [source], 'detail-type': stripeEventTypes },
  });
  expect(modes).toEqual(['LeadsAndStars-applyWalletEvents true']);
  // Thin events can't be read: they are dead letters at once.
  const [{ DeadLetterConfig }] = own.Targets;
  expect(thin).toEqual({
    ...own,
    EventBusName: { Ref: busId },
    EventPattern: { source: [source], 'detail-type': [{ prefix: 'v1.' }] },
    Targets: [{ Id: 'Target0', Arn: DeadLetterConfig.Arn }],
  });
});

test('the alarm on dead letters says what to choose in Stripe, where thin events come', () => {
  const acts = (made: Template) =>
    Object.values(made.findResources('AWS::CloudWatch::Alarm'))
      .map(({ Properties }) => String(Properties.AlarmDescription))
      .filter((text) => text.includes('payload style "Snapshot"'));
  expect(acts(eventsIn(stripe).made)).toEqual([expect.stringContaining('dead-letters.md')]);
  expect(acts(eventsIn({}).made)).toEqual([]);
});

test.each([
  [stripe, '120'],
  [{ ...stripe, stripe_grace_minutes: 0 }, '0'],
  [{ ...stripe, stripe_grace_minutes: 10_080 }, '10080'],
])('of %j, stars stay for so many minutes after a period: %s', (options, minutes) => {
  eventsIn(options).made.hasResourceProperties('AWS::Lambda::Function', {
    FunctionName: 'LeadsAndStars-applyWalletEvents',
    Environment: { Variables: Match.objectLike({ STRIPE_GRACE_MINUTES: minutes }) },
  });
});

test('without it, the stack has no resource, setting or metric of Stripe', () => {
  const { made, modes } = eventsIn({});
  expect(modes).toEqual([]);
  const told = (one: object) => /stripe|partner/i.exec(JSON.stringify(one))?.[0];
  expect(told(made.toJSON())).toBeUndefined();
  expect(told(eventsIn(stripe).made.toJSON())).toBeDefined();
});

test('no bundle but that of the function that takes events has a byte of what reads Stripe’s', async () => {
  const root = join(import.meta.dirname, '../..');
  const { metafile } = await build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: entryPoints(await listFiles()),
    packages: 'external',
    outdir: 'bundles',
    write: false,
    metafile: true,
  });
  const bundles = Object.entries(metafile.outputs);
  expect(bundles.length).toBeGreaterThan(60);
  const having = bundles.filter(([, { inputs }]) =>
    Object.entries(inputs).some(
      ([file, { bytesInOutput }]) => file.startsWith('lib/stripe/') && bytesInOutput > 0,
    ),
  );
  expect(having.map(([name]) => name)).toEqual(['bundles/apply-wallet-events.js']);
});

test.each<[string, Given, string]>([
  ['as its name says', { stripe_event_source: 'aws.partner/stripe.com/ed_test_61Qx' }, 'false'],
  ['as the file says', { ...stripe, stripe_livemode: false }, 'false'],
  [
    'as the file says, whatever its name',
    { stripe_event_source: 'aws.partner/stripe.com/ed_test_61Qx', stripe_livemode: true },
    'true',
  ],
])('an event source is of test mode %s', (_what, options, mode) => {
  expect(eventsIn(options).modes).toEqual([`LeadsAndStars-applyWalletEvents ${mode}`]);
});

const warnings = (options: Given) =>
  serviceApp({ ...options, deployment: 'alarms' })
    .synth()
    .stacks[0]!.messages.filter(({ level }) => level === 'warning')
    .map(({ entry }) => String(entry.data));

test('the synthesis says that nobody hears of alarms without an address, and nothing with one', () => {
  const told = /^NOBODY HEARS OF ALARMS: there is no alarm_email\./;
  expect(warnings({})).toEqual([expect.stringMatching(told)]);
  expect(warnings({ alarm_email: 'ops@cedro.dev' })).toEqual([]);
});

test.each<[string, object, RegExp]>([
  ['a domain without its certificate', { domain_name: 'api.example.com' }, /A domain needs both/],
  [
    'a certificate by name',
    { domain_name: 'a.b', certificate_arn: 'mine' },
    /certificate_arn must be arn:/,
  ],
  ['keys without an issuer', { jwks_uri: 'https://keys.example.com' }, /Your own issuer needs/],
  [
    'keys by HTTP',
    { issuer: 'https://a.b', audience: 'c', jwks_uri: 'http://a.b' },
    /jwks_uri must be/,
  ],
  ['an issuer without an audience', { issuer: 'https://a.b' }, /Your own issuer needs/],
  ['an issuer by HTTP', { issuer: 'http://a.b', audience: 'crm' }, /issuer must be an address/],
  ['alarms to nobody', { alarm_email: 'ops' }, /alarm_email must be one address/],
  ['notices to nobody', { notice_email: 'ops' }, /notice_email must be one address/],
  ['no organizations', { organizations: 0 }, /organizations must be/],
  ['alarms to two at once', { alarm_email: 'a@b.c,d@e.f' }, /alarm_email must be one address/],
  [
    'a limit that is no number',
    { requests_per_second: '50' },
    /_per_second must be a whole number/,
  ],
  ['a limit that is not whole', { requests_per_second: 50.5 }, /must be a whole number/],
  ['a limit too low for a sample', { requests_per_second: 9 }, /must be at least 10/],
  ['a limit too high', { requests_per_second: 2501 }, /must be at most 2500/],
  ['a stage’s limit too low', { stage_requests_per_second: 99 }, /must be at least 100/],
  ['one too high', { stage_requests_per_second: 100_001 }, /must be at most 100000/],
  ['a mistyped option', { alarm_mail: 'a@b.c' }, /alarm_mail is not an option\. They are issuer, /],
  ['an empty text', { alarm_email: ' ' }, /alarm_email has no value/],
  ['a text in place of a list', { cors_origins: 'https://a.b' }, /cors_origins must be a list/],
  ...['a.example', 'https://a.b/', 'https://A.b', '*', 'https://a.b,c'].map(
    (one): [string, object, RegExp] => [
      `the origin ${one}`,
      { cors_origins: ['https://a.b', one] },
      /cors_origins\.1 must be an origin/,
    ],
  ),
  ['what a template can’t hold', { ...issuer, audience: 'café' }, /audience takes ASCII only/],
  ['a partner in place of Stripe', { stripe_event_source: 'aws.partner/a.b/c' }, /_source must be/],
  [
    'a source with too long a name',
    { stripe_event_source: `aws.partner/stripe.com/${'e'.repeat(201)}` },
    /_source must be/,
  ],
  ['a mode as text', { ...stripe, stripe_livemode: 'test' }, /stripe_livemode must be/],
  ['a mode of no source', { stripe_livemode: true }, /need stripe_event_source/],
  ['a grace of no source', { stripe_grace_minutes: 0 }, /need stripe_event_source/],
  [
    'more than a week of grace',
    { ...stripe, stripe_grace_minutes: 10_081 },
    /_grace_minutes must be/,
  ],
  ['a grace below 0', { ...stripe, stripe_grace_minutes: -1 }, /_grace_minutes must be/],
  ['a table in place of its stream', { table_stream_arn: restoredArn }, /the LatestStreamArn of a/],
])('%s is refused', (_what, context, told) => {
  const refused = () => serviceApp(context as Given);
  expect(refused).toThrow(told);
  expect(refused).toThrow(OptionError);
});

test('the app tells a wrong option in one line, and ends with 1', async () => {
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify({ foo: 'bar' }));
  vi.stubEnv('CDK_OUTDIR', outdir);
  const error = vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  await expect(import('../../infra/app.ts')).rejects.toThrow('exit 1');
  expect(error.mock.calls).toEqual([[expect.stringMatching(/^-c foo is not an option\..*$/)]]);
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test('every option is in the guide, which has no other', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/deploy.md'), 'utf8');
  const [, section = ''] = guide.split(/^## Options$/m);
  const rows = section
    .split(/^## /m)[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`(\w+)`/g)]);
  expect(named.map(([, name]) => name).sort()).toEqual(optionNames.sort());
});
