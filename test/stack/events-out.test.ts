import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { everyOption } from './some-options.ts';
import { synthesized } from './synthesized.ts';
import { neededBy, type Resources } from './template/references.ts';
import { rolesOf } from './template/roles.ts';

const template = synthesized();

/** What the roles with this service as principal may do, as "action on logical id". */
const allowed = (service: string): string[] =>
  [...rolesOf(template.toJSON().Resources, service).values()]
    .flat()
    .flatMap(({ Action, Resource }) =>
      [Action].flat().map((action) => `${action} on ${Resource['Fn::GetAtt']?.join('.')}`),
    );

const prefixes = ['HISTORY#', 'LEDGER#', 'NOTICE#', 'NOTE_HISTORY#'].map((prefix) => ({ prefix }));

const idOf = (type: string, name: RegExp): string =>
  Object.keys(template.findResources(type)).find((id) => name.test(id)) ?? '';

test('whatever gets its number is described and sent, and never given up early', () => {
  const table = idOf('AWS::DynamoDB::Table', /^Table/);
  template.hasResourceProperties('AWS::DynamoDB::Table', {
    StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  template.hasResourceProperties('AWS::Pipes::Pipe', {
    Source: { 'Fn::GetAtt': [table, 'StreamArn'] },
    SourceParameters: {
      DynamoDBStreamParameters: {
        StartingPosition: 'TRIM_HORIZON',
        OnPartialBatchItemFailure: 'AUTOMATIC_BISECT',
        MaximumRetryAttempts: -1,
        MaximumRecordAgeInSeconds: Match.anyValue(),
        DeadLetterConfig: { Arn: Match.anyValue() },
      },
    },
    Enrichment: { 'Fn::GetAtt': [idOf('AWS::Lambda::Function', /describeEvents/), 'Arn'] },
    Target: { 'Fn::GetAtt': [idOf('AWS::Events::EventBus', /EventsOut/), 'Arn'] },
    TargetParameters: {
      EventBridgeEventBusParameters: { Source: 'leads-and-stars', DetailType: '$.type' },
    },
  });
  const [pipe] = Object.values(template.findResources('AWS::Pipes::Pipe'));
  const [{ Pattern }] = pipe!.Properties.SourceParameters.FilterCriteria.Filters;
  expect(JSON.parse(Pattern)).toEqual({
    eventName: ['MODIFY'],
    dynamodb: {
      Keys: { pk: { S: prefixes } },
      NewImage: { sequence: { N: [{ exists: true }] }, late: { BOOL: [{ exists: false }] } },
      OldImage: { sequence: { N: [{ exists: false }] } },
    },
  });
  template.hasOutput('EventsOutBus', {});
});

test('whatever is added to the outbox is given to the function that numbers it, for four hours', () => {
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: { 'Fn::GetAtt': [idOf('AWS::DynamoDB::Table', /^Table/), 'StreamArn'] },
    FunctionName: { Ref: idOf('AWS::Lambda::Function', /^numberChanges/) },
    StartingPosition: 'TRIM_HORIZON',
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    MaximumRecordAgeInSeconds: 4 * 60 * 60,
    MaximumRetryAttempts: Match.absent(),
    DestinationConfig: { OnFailure: { Destination: Match.anyValue() } },
  });
  const mappings = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
  const patterns = mappings.flatMap(({ Properties }) => Properties.FilterCriteria?.Filters ?? []);
  expect(patterns.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([
    {
      eventName: ['INSERT'],
      dynamodb: { Keys: { pk: { S: [...prefixes, { prefix: 'WAKE#' }] } } },
    },
    { dynamodb: { Keys: { pk: { S: [{ prefix: 'ISSUER#' }] } } } },
  ]);
});

test('the pipe may read the stream, describe, send and report; and nothing else', () => {
  const stream = `${idOf('AWS::DynamoDB::Table', /^Table/)}.StreamArn`;
  expect(allowed('pipes.amazonaws.com').sort()).toEqual(
    [
      `dynamodb:DescribeStream on ${stream}`,
      `dynamodb:GetRecords on ${stream}`,
      `dynamodb:GetShardIterator on ${stream}`,
      `dynamodb:ListStreams on ${stream}`,
      `events:PutEvents on ${idOf('AWS::Events::EventBus', /EventsOut/)}.Arn`,
      `lambda:InvokeFunction on ${idOf('AWS::Lambda::Function', /describeEvents/)}.Arn`,
      `sqs:SendMessage on ${idOf('AWS::SQS::Queue', /EventsOut/)}.Arn`,
    ].sort(),
  );
});

test('the function that describes events has no part in the table; one that writes has', () => {
  const roles = rolesOf(template.toJSON().Resources, 'lambda.amazonaws.com');
  const allows = (name: RegExp) => {
    const statements = roles.get(idOf('AWS::IAM::Role', name)) ?? [];
    return JSON.stringify(statements.filter(({ Effect }) => Effect === 'Allow'));
  };
  expect(allows(/^createLeadRole/)).toContain('dynamodb:');
  expect(allows(/^describeEventsRole/)).toContain('logs:');
  expect(allows(/^describeEventsRole/)).not.toContain('dynamodb:');
});

test('what can’t be delivered is kept encrypted, and only spoken of over TLS', () => {
  template.hasResourceProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
  template.hasResourceProperties('AWS::SQS::QueuePolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Effect: 'Deny',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      ]),
    },
  });
});

describe('the pipe is made last: AWS may refuse one on a stream that is new', () => {
  const madeBefore = (resources: Resources, id: string): string[] => {
    const before = new Set<string>();
    const add = (one: string) => {
      for (const needed of neededBy(resources, one)) {
        if (before.has(needed)) continue;
        before.add(needed);
        add(needed);
      }
    };
    add(id);
    return [...before].sort();
  };

  test.each([
    ['no option', {}],
    ['every option', everyOption],
  ])('with %s', (_which, options) => {
    const resources = structuredClone(synthesized(options).toJSON().Resources) as Resources;
    const ids = Object.keys(resources).sort();
    const pipe = ids.find((id) => resources[id]!.Type === 'AWS::Pipes::Pipe')!;
    expect(madeBefore(resources, pipe)).toEqual(ids.filter((id) => id !== pipe));
    // By its references alone it waits for few of them.
    delete resources[pipe]!.DependsOn;
    expect(madeBefore(resources, pipe).length).toBeLessThan(20);
  });
});
