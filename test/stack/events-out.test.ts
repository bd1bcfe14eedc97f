import { expect, test } from 'vitest';
import {
  type FunctionFile,
  loadOperations,
  takesAdditions,
  takesFeedItems,
} from '../../infra/operations.ts';
import { outbox } from '../../lib/table/keys.ts';
import { passes, readPatterns } from '../../packages/runner/src/template/patterns.ts';
import { serviceApp, synthesized } from './synthesized.ts';
import { rolesOf } from './template/roles.ts';

const template = synthesized();
const roles = rolesOf(template.toJSON().Resources, 'lambda.amazonaws.com');

const prefixes = Object.values(outbox).map((prefix) => ({ prefix }));
const heartbeat = { dynamodb: { Keys: { pk: { S: [{ prefix: 'ISSUER#' }] } } } };

const idOf = (type: string, name: RegExp): string =>
  Object.keys(template.findResources(type)).find((id) => name.test(id)) ?? '';

/** The mapping of the table's stream to a function. */
const mappingTo = (name: RegExp) => {
  const FunctionName = { Ref: idOf('AWS::Lambda::Function', name) };
  const found = template.findResources('AWS::Lambda::EventSourceMapping', {
    Properties: { FunctionName, StartingPosition: 'TRIM_HORIZON' },
  });
  const [mapping] = Object.values(found);
  return mapping!.Properties;
};

const patternsOf = (name: RegExp) =>
  mappingTo(name).FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) =>
    JSON.parse(Pattern),
  );

test('the stream has old and new images, by which what got its number is known', () => {
  template.hasResourceProperties('AWS::DynamoDB::Table', {
    StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  template.hasOutput('EventsOutBus', {});
});

test.each([
  ['numberChanges', /^numberChanges/, /^StreamConsumers.*Dropped/],
  ['publishChanges', /^publishChanges/, /^EventsOut/],
])('%s goes on where it failed, for four hours; then its queue is told', (_id, name, queue) => {
  expect(mappingTo(name)).toEqual({
    EventSourceArn: { 'Fn::GetAtt': [idOf('AWS::DynamoDB::Table', /^Table/), 'StreamArn'] },
    FunctionName: expect.anything(),
    FilterCriteria: expect.anything(),
    StartingPosition: 'TRIM_HORIZON',
    // As many as a transaction numbers beside the feed's head.
    BatchSize: 99,
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    MaximumRecordAgeInSeconds: 4 * 60 * 60,
    // As often as it takes, and each partition's records in their order: neither is set.
    DestinationConfig: {
      OnFailure: { Destination: { 'Fn::GetAtt': [idOf('AWS::SQS::Queue', queue), 'Arn'] } },
    },
  });
});

test('whatever is added to the outbox is given to the function that numbers it', () => {
  expect(patternsOf(/^numberChanges/)).toEqual([
    {
      eventName: ['INSERT'],
      dynamodb: { Keys: { pk: { S: [...prefixes, { prefix: 'WAKE#' }] } } },
    },
    heartbeat,
  ]);
  expect(prefixes).toContainEqual({ prefix: 'HISTORY#' });
});

const record = (images: object, pk = 'LEDGER#1') => ({
  eventName: 'MODIFY',
  dynamodb: { Keys: { pk: { S: pk } }, OldImage: {}, ...images },
});
const sequence = { N: '7' };
const late = { BOOL: true };
test.each([
  ['its first number', record({ NewImage: { sequence } }), true],
  [
    'its number in a restored table',
    record({ NewImage: { sequence }, OldImage: { sequence } }),
    false,
  ],
  ['a number that is no news', record({ NewImage: { sequence, late } }), false],
  ['no number', record({ NewImage: {} }), false],
  ['a number outside of the outbox', record({ NewImage: { sequence } }, 'FEED#1'), false],
])('of what got %s the function that publishes is told as it is', (_what, one, given) => {
  expect(passes(readPatterns(mappingTo(/^publishChanges/).FilterCriteria), one)).toBe(given);
});

test('the stream has two readers, and a third is refused', async () => {
  const mappings = template.findResources('AWS::Lambda::EventSourceMapping', {
    Properties: { StartingPosition: 'TRIM_HORIZON' },
  });
  expect(Object.keys(mappings).length).toBe(2);
  const sources = await loadOperations();
  const readers = [sources.find(takesAdditions)!, sources.find(takesFeedItems)!];
  for (const { file, operation } of readers) {
    const third = { file, operation: { ...operation, id: 'third' } } as FunctionFile;
    expect(() => serviceApp({ deployment: 'third' }, [third])).toThrow(/stream has 2 readers/);
  }
});

test('the function that publishes may read the stream, put events on the bus, use the queue and log; nothing else', () => {
  const stream = `${idOf('AWS::DynamoDB::Table', /^Table/)}.StreamArn`;
  const allowed = (roles.get(idOf('AWS::IAM::Role', /^publishChangesRole/)) ?? [])
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(({ Action, Resource }) =>
      [Action]
        .flat()
        .map((action) => `${action} on ${Resource['Fn::GetAtt']?.join('.') ?? Resource}`),
    );
  const log = idOf('AWS::Logs::LogGroup', /stream/i);
  expect(allowed.sort()).toEqual(
    [
      `dynamodb:DescribeStream on ${stream}`,
      `dynamodb:GetRecords on ${stream}`,
      `dynamodb:GetShardIterator on ${stream}`,
      'dynamodb:ListStreams on *',
      `events:PutEvents on ${idOf('AWS::Events::EventBus', /EventsOut/)}.Arn`,
      `logs:CreateLogStream on ${log}.Arn`,
      `logs:PutLogEvents on ${log}.Arn`,
      `sqs:SendMessage on ${idOf('AWS::SQS::Queue', /EventsOut/)}.Arn`,
      'xray:PutTelemetryRecords on *',
      'xray:PutTraceSegments on *',
    ].sort(),
  );
});
