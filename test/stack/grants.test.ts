import { expect, test } from 'vitest';
import { isRouted, isServed, loadOperations } from '../../infra/operations.ts';
import { chainGrants } from '../../lib/handlers/http/serve.ts';
import { synthesized } from './synthesized.ts';
import type { Resources } from './template/references.ts';
import { partitionsIn, rolesOf, statementsByOperation } from './template/roles.ts';

// The template itself, read without the runner's own reading of it.

const resources: Resources = synthesized().toJSON().Resources;
const roles = rolesOf(resources, 'lambda.amazonaws.com');
const functions = Object.values(resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');

const statements = statementsByOperation(resources);
const statementsOf = (operationId: string) => statements.get(operationId) ?? [];

const onPartitions = (quantifier: string, ...prefixes: string[]) => ({
  [`${quantifier}:StringLike`]: { 'dynamodb:LeadingKeys': prefixes.map((prefix) => `${prefix}*`) },
});

/** In the words of an operation's file: `GetItem`, `Query by_owner`, `PutItem LEDGER#`. */
const grantsOf = (operationId: string): string[] =>
  statementsOf(operationId)
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(({ Action, Resource, Condition }) => {
      const index = String(Resource['Fn::Join']?.[1].at(-1) ?? '').replace('/index/', ' ');
      const places = Condition ? partitionsIn(Condition).map((prefix) => ` ${prefix}`) : [index];
      return [Action]
        .flat()
        .filter((action) => /^dynamodb:(?!.*(Stream|GetRecords|GetShardIterator))/.test(action))
        .flatMap((action) => places.map((place) => action.replace('dynamodb:', '') + place));
    });

test('functions may do with the table what their operations declare, in the template too', async () => {
  const functionFiles = await loadOperations();
  const declared = functionFiles.map((functionFile) => {
    const grants = [
      ...(isRouted(functionFile) ? chainGrants(functionFile.operation) : []),
      ...functionFile.operation.table,
    ];
    const actions = grants.flatMap((grant) =>
      grant === 'GetItem' ? [grant, 'BatchGetItem'] : [grant],
    );
    return [functionFile.operation.id, [...new Set(actions)].sort()];
  });
  const granted = functionFiles.map(({ operation: { id } }) => [id, grantsOf(id).sort()]);
  expect(granted).toEqual(declared);
});

// That a role's denial holds for each kind of request is for `packages/runner/test/least-privilege.test.ts`.
test('who is not called by callers may not read what proves who calls', async () => {
  const reads = ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'Query'];
  const denied = {
    Effect: 'Deny',
    Action: reads.map((action) => `dynamodb:${action}`),
    Resource: { 'Fn::GetAtt': [expect.stringMatching(/^Table/), 'Arn'] },
    Condition: onPartitions(
      'ForAnyValue',
      ...['ISSUER#', 'PLATFORM#', 'MEMBERS#', 'NAMES#', 'KEY#', 'KEYS#'],
    ),
  };
  for (const functionFile of await loadOperations()) {
    const { id } = functionFile.operation;
    const denials = statementsOf(id).filter(({ Effect }) => Effect !== 'Allow');
    expect([id, denials]).toEqual([id, isServed(functionFile) ? [] : [denied]]);
  }
});

test('a function has no permission beyond the table but to log, to trace, to use queues and the bus', () => {
  const services = [...roles.values()]
    .flat()
    .flatMap(({ Action }) => [Action].flat().map((action: string) => action.split(':')[0]));
  expect([...new Set(services)].sort()).toEqual(['dynamodb', 'events', 'logs', 'sqs', 'xray']);
});

test('a function sends to the queues and the bus that its kind of work needs, and to no others', () => {
  const sent = [...statements].flatMap(([id, allowed]) =>
    allowed
      .filter(({ Action }) => /sqs:SendMessage|events:PutEvents/.test(`${Action}`))
      .map(({ Resource }) => `${id} to ${Resource['Fn::GetAtt'][0].replace(/[0-9A-F]{8}$/, '')}`),
  );
  expect(sent.sort()).toEqual([
    'followChanges to WakesQueue',
    'numberChanges to StreamConsumersHandedOver',
    'numberChanges to StreamConsumersnumberChangesDropped',
    'numberChanges to WakesQueue',
    'publishChanges to EventsOutBus',
    'publishChanges to EventsOutUndelivered',
    'wakeDueWebhooks to WakesQueue',
  ]);
});

test('each function has a role of its own, and permissions by nothing else', () => {
  const used = functions.map(({ Properties }) => Properties.Role['Fn::GetAtt'][0]);
  expect(used.length).toBeGreaterThan(20);
  expect(used.sort()).toEqual([...roles.keys()].sort());
  for (const id of roles.keys()) {
    expect(Object.keys(resources[id]!.Properties)).toEqual([
      'AssumeRolePolicyDocument',
      'Policies',
    ]);
  }
  const beside = /^AWS::IAM::(?!Role$)/;
  expect(Object.values(resources).filter(({ Type }) => beside.test(Type))).toEqual([]);
});

/**
 * The actions for which AWS's service authorization reference names no type of resource: IAM compares them with `*`, and on
 * anything else they allow nothing.
 */
const withoutResource = [
  'dynamodb:ListStreams',
  'xray:PutTelemetryRecords',
  'xray:PutTraceSegments',
];

test('permissions are on everything where IAM knows no resource, and nowhere else', () => {
  const all = Object.values(resources)
    .filter(({ Type }) => Type === 'AWS::IAM::Role')
    .flatMap(({ Properties }) => Properties.Policies ?? [])
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  const actionsOf = (isOnEverything: boolean): string[] =>
    all
      .filter(({ Resource }) => [Resource].flat().includes('*') === isOnEverything)
      .flatMap(({ Action }) => Action);
  expect([...new Set(actionsOf(true))].sort()).toEqual(withoutResource);
  const named = actionsOf(false);
  // Beside the functions' roles there is the API's, which invokes them.
  expect(named).toContain('lambda:InvokeFunction');
  expect(named.filter((one) => withoutResource.includes(one) || one.includes('*'))).toEqual([]);
});
