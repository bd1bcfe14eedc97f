import { describe, expect, test } from 'vitest';
import { routes } from '../support/api.ts';
import { everyOption, everyResource } from './some-options.ts';
import { synthesized } from './synthesized.ts';
import { dependenciesIn, mostAtOnce } from './template/dependencies.ts';
import type { Resources } from './template/references.ts';

// What fails a stack's first deployment, as others report: too many requests to a service at once, and a resource that is
// made before IAM lets its role do what the service tries.

describe.each([
  ['no option', {}],
  ['every option', everyOption],
  ['every resource', everyResource],
])('with %s', (_options, options) => {
  const template = synthesized(options);
  const resources = template.toJSON().Resources as Resources;
  const before = dependenciesIn(resources);
  const idsOf = (type: string) =>
    Object.keys(resources).filter((id) => resources[id]!.Type === type);
  const functions = idsOf('AWS::Lambda::Function');
  const roleOf = (fn: string): string => resources[fn]!.Properties.Role['Fn::GetAtt'][0];

  test.each([
    ['AWS::Lambda::Function', 10],
    ['AWS::IAM::Role', 10],
    ['AWS::Logs::LogGroup', 5],
    ['AWS::Lambda::EventSourceMapping', 2],
    ['AWS::Logs::MetricFilter', 3],
    ['AWS::CloudWatch::Alarm', 3],
  ])('there are more of %s than %d, which are made at once', (type, most) => {
    const ids = idsOf(type);
    expect(ids.length).toBeGreaterThan(most);
    expect(mostAtOnce(ids, before)).toBe(most);
  });

  test('of no other type are more than ten made at once', () => {
    const types = [...new Set(Object.values(resources).map(({ Type }) => Type))];
    const many = types.filter((type) => mostAtOnce(idsOf(type), before) > 10);
    expect(many).toEqual([]);
  });

  test('a role is made with all that it may do, and before what takes it', () => {
    for (const type of ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::IAM::RolePolicy']) {
      template.resourceCountIs(type, 0);
    }
    for (const fn of functions) expect(before.get(fn)).toContain(roleOf(fn));
  });

  test('what IAM may be too late for comes last, when all functions with a route were made: minutes later', () => {
    const [[stage], [account]] = [
      idsOf('AWS::ApiGateway::Stage'),
      idsOf('AWS::ApiGateway::Account'),
    ];
    const madeBefore = (id: string) => functions.filter((fn) => before.get(id)!.has(fn)).length;
    // The role by which API Gateway logs.
    expect(madeBefore(account!)).toBeGreaterThanOrEqual(routes.length);
    expect(before.get(stage!)).toContain(account);
    for (const mapping of idsOf('AWS::Lambda::EventSourceMapping')) {
      expect(before.get(mapping)).toContain(stage);
      expect(before.get(mapping)).toContain(
        roleOf(resources[mapping]!.Properties.FunctionName.Ref),
      );
    }
    for (const mapping of idsOf('AWS::ApiGateway::BasePathMapping')) {
      expect(before.get(mapping)).toContain(stage);
    }
  });

  test('a log group is there before what would make it, and nothing but the stack makes it', () => {
    for (const fn of functions) {
      const { LogGroup } = resources[fn]!.Properties.LoggingConfig;
      expect(before.get(fn)).toContain(LogGroup.Ref);
      expect(JSON.stringify(resources[roleOf(fn)])).not.toContain('CreateLogGroup');
    }
  });

  test('no function takes a part of the account’s concurrency for itself: a new account has ten', () => {
    const texts = Object.values(resources).map((one) => JSON.stringify(one));
    expect(texts.filter((text) => /ReservedConcurrent|ProvisionedConcurrency/.test(text))).toEqual(
      [],
    );
  });
});

/** What a call is let through a second, and at once. */
const limitsWith = (options: object) => {
  const [stage] = Object.values(synthesized(options).findResources('AWS::ApiGateway::Stage'));
  const [settings, ...others] = stage!.Properties.MethodSettings;
  expect(others).toEqual([]);
  expect([settings.ResourcePath, settings.HttpMethod]).toEqual(['/*', '*']);
  return [settings.ThrottlingRateLimit, settings.ThrottlingBurstLimit];
};

test('a stage lets through what a new account may be asked in each region, unless the deployment’s file says otherwise', () => {
  expect(limitsWith({})).toEqual([2500, 1250]);
  expect(limitsWith({ requests_per_second: 200 })).toEqual([2500, 1250]);
  expect(limitsWith({ stage_requests_per_second: 100 })).toEqual([100, 50]);
  expect(limitsWith({ stage_requests_per_second: 10_000 })).toEqual([10_000, 5000]);
  expect(limitsWith({ stage_requests_per_second: 100_000 })).toEqual([100_000, 50_000]);
});

test('resources that wait for one another are not made at once, also over others, and a circle is found', () => {
  const made = (waits: Record<string, object>) =>
    Object.fromEntries(
      Object.entries(waits).map(([id, one]) => [id, { Type: 'AWS::SNS::Topic', ...one }]),
    );
  const some = made({
    a: {},
    b: { DependsOn: ['a'] },
    c: { Properties: { Name: { 'Fn::Join': ['', [{ Ref: 'b' }, { Ref: 'AWS::Region' }]] } } },
    d: { Properties: { Arn: { 'Fn::GetAtt': ['a', 'Arn'] } } },
    e: { Properties: { Url: { 'Fn::Sub': `https://${'$'}{d}` } } },
  });
  const before = dependenciesIn(some);
  expect([...before.get('c')!].sort()).toEqual(['a', 'b']);
  expect([...before.get('e')!].sort()).toEqual(['a', 'd']);
  expect(mostAtOnce(['a', 'c'], before)).toBe(1);
  expect(mostAtOnce(Object.keys(some), before)).toBe(2);
  expect(mostAtOnce(['c', 'e', 'b', 'd'], before)).toBe(2);
  expect(() => dependenciesIn(made({ a: { DependsOn: ['b'] }, b: { DependsOn: ['a'] } }))).toThrow(
    'in a circle: a b a',
  );
});
