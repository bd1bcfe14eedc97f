import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { isRouted, loadOperations } from '../../infra/operations.ts';
import * as some from './some-options.ts';
import { type Given, type Json, serviceApp, templateFile } from './synthesized.ts';
import { beyondLimits, mostResources } from './template/limits.ts';
import { type Resources, wrongReferences } from './template/references.ts';
import { rolesOf } from './template/roles.ts';
import { againstSchemas } from './template/schemas.ts';

// Nothing has run in AWS. So each template that the options can make is held against all that can be known
// of it here, and each of these checks against a template with a fault.

interface Template {
  Resources: Resources;
  Outputs: Record<string, unknown>;
}

const read = (file: string): Template => JSON.parse(readFileSync(file, 'utf8'));

const problemsIn = (file: string): string[] => {
  const template = read(file);
  return [
    ...againstSchemas(file),
    ...wrongReferences(template.Resources),
    ...beyondLimits(template),
  ];
};

/** Every choice with every other. */
const combinations = (choices: Given[][]): Given[] =>
  choices.reduce<Given[]>(
    (before, choice) => before.flatMap((one) => choice.map((other) => ({ ...one, ...other }))),
    [{}],
  );

const all: [names: string, Given][] = combinations([
  [{}, { ...some.issuer, jwks_uri: 'https://login.example/keys' }],
  [{}, some.domain],
  [{}, some.cors],
  [{}, some.alarms],
  [{}, some.restored],
]).map((options) => [Object.keys(options).join(' ') || 'no option', options]);

const longest: Given = {
  ...some.everyOption,
  ...some.longValues,
  stripe_event_source: `aws.partner/stripe.com/${'e'.repeat(200)}`,
};

const takes = (_names: string, options: Given) => {
  expect(problemsIn(templateFile(options))).toEqual([]);
};
const title = 'CloudFormation takes the template that is made with %s';

// Each takes seconds. That of no option is below, with faults.
test.each([['the longest values', longest] as const])(title, takes);

test.each<[names: string, Given]>([
  all[0]!,
  ['an issuer whose keys are where most have them', some.issuer],
  ['one origin', { cors_origins: ['https://a.example'] }],
  ...all.slice(1),
])(title, { tags: ['long'] }, takes);

describe('with every option and 15 more operations with a route', { tags: ['long'] }, async () => {
  const routed = (await loadOperations()).filter(isRouted);
  // The one that may do the most with the table.
  const model = routed.find(({ operation }) => operation.id === 'updateLead')!;
  const more = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const operation = { ...model.operation, id: `more${i}`, path: `/more${i}` } as const;
      return { ...model, operation };
    });

  test.each([
    ['and an issuer and a table of its own', some.everyOption],
    ['and the stack’s own user pool and table', some.everyResource],
  ])('%s, CloudFormation takes the template', (_which, options) => {
    expect(problemsIn(templateFile({ ...options, deployment: 'more' }, more(15)))).toEqual([]);
  });

  test('each takes no more resources than its function and its role', () => {
    const count = (extra: number) =>
      Object.keys(
        read(templateFile({ ...some.everyResource, deployment: 'more' }, more(extra))).Resources,
      ).length;
    expect(count(1) - count(0)).toBe(2);
  });
});

/** What is found in the service's template once it is changed. */
const problemsOnce = (change: (template: Template) => void): string[] => {
  const file = templateFile({ deployment: 'planted' });
  const template = read(file);
  change(template);
  writeFileSync(file, JSON.stringify(template));
  return problemsIn(file);
};

const buckets = Array.from({ length: 100 }, (_, i) => `arn:aws:s3:::${'b'.repeat(100)}${i}`);

/**
 * One that AWS's own validator finds, and one for each check of ours: what it is, how it is made in a function and a role,
 * and how it is told.
 */
const faults: [what: string, make: (fn: Json, role: Json, ids: Json) => void, told: RegExp][] = [
  ['an unknown property', (fn) => Object.assign(fn, { Colour: 'blue' }), /'Colour' was unexp/],
  [
    'a name as an ARN',
    (fn, _, { role }) => Object.assign(fn, { Role: { Ref: role } }),
    /RoleName, /,
  ],
  [
    'a queue as a role',
    (fn, _, { queue }) => Object.assign(fn, { Role: { 'Fn::GetAtt': [queue, 'Arn'] } }),
    /SQS::Queue.Arn, and takes AWS::IAM::Role.Arn$/,
  ],
  ['not ASCII', (fn) => Object.assign(fn, { Description: 'Café' }), /^not ASCII: é$/],
  [
    'a variable of Lambda’s own',
    (fn) => Object.assign(fn.Environment.Variables, { AWS_REGION: 'eu' }),
    /sets AWS_REGION$/,
  ],
  [
    'too long variables',
    (fn) => Object.assign(fn.Environment.Variables, { AUDIENCE: 'v'.repeat(4000) }),
    /bytes of variables$/,
  ],
  [
    'too long policies',
    (_, role) => Object.assign(role.Policies[0].PolicyDocument.Statement[0], { Resource: buckets }),
    /1\d{4} characters of policies$/,
  ],
];

describe('in a template with faults', { tags: ['long'] }, () => {
  let problems: string[];
  const plant = ({ Resources }: Template) => {
    const idsOf = (type: string) =>
      Object.keys(Resources).filter((id) => Resources[id]!.Type === type);
    const functions = idsOf('AWS::Lambda::Function');
    const roles = [...rolesOf(Resources, 'lambda.amazonaws.com').keys()];
    const ids = { role: roles.at(-1), queue: idsOf('AWS::SQS::Queue')[0] };
    faults.forEach(([, make], i) => {
      make(Resources[functions[i]!]!.Properties, Resources[roles[i]!]!.Properties, ids);
    });
  };
  beforeAll(() => {
    problems = problemsOnce(plant);
  });

  test.each(faults)('%s is found', (_what, _make, told) => {
    expect(problems).toContainEqual(expect.stringMatching(told));
  });

  test('nothing else is', () => {
    const others = problems.filter((problem) => !faults.some(([, , told]) => told.test(problem)));
    expect(others).toEqual([]);
  });

  test('more resources than there may be are found, and not one fewer', { tags: ['long'] }, () => {
    const withResources =
      (count: number) =>
      ({ Resources }: Template) => {
        for (let i = Object.keys(Resources).length; i < count; i++) {
          Resources[`Topic${i}`] = { Type: 'AWS::SNS::Topic' };
        }
      };
    expect(problemsOnce(withResources(mostResources))).toEqual([]);
    expect(problemsOnce(withResources(mostResources + 1))).toEqual(['there are 450 resources']);
  });
});

test.each(Object.entries(some.longValues))('a longer %s is refused', (name, value) => {
  const longer = Array.isArray(value) ? [`${value[0]}x`] : `${value}x`;
  expect(() => serviceApp({ ...longest, [name]: longer })).toThrow(
    /longer than \d+ characters|at most \d+ characters|must be shorter together/,
  );
});
