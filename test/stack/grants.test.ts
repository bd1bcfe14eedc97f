import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { isRouted, loadOperations } from '../../infra/operations.ts';
import { chainGrants } from '../../lib/handlers/http/serve.ts';
import { places } from '../../lib/table/keys.ts';
import { synthesized } from './synthesized.ts';
import type { Resources } from './template/references.ts';
import { rolesOf } from './template/roles.ts';

// The template itself, read without the runner's own reading of it.

const resources: Resources = synthesized().toJSON().Resources;
const roles = rolesOf(resources, 'lambda.amazonaws.com');
const functions = Object.values(resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');

const statementsOf = (operationId: string) => {
  const name = `LeadsAndStars-${operationId}`;
  const fn = functions.find(({ Properties }) => Properties.FunctionName === name);
  return roles.get(fn?.Properties.Role['Fn::GetAtt'][0]) ?? [];
};

const onPartitions = (quantifier: string, ...prefixes: string[]) => ({
  [`${quantifier}:StringLike`]: { 'dynamodb:LeadingKeys': prefixes.map((prefix) => `${prefix}*`) },
});

/** In the words of an operation's file: `PutItem`, `Query by_owner`. */
const grantsOf = (operationId: string, condition?: object): string[] => {
  const statements = statementsOf(operationId).filter(
    ({ Effect, Condition }) => Effect === 'Allow' && isDeepStrictEqual(Condition, condition),
  );
  return statements.flatMap(({ Action, Resource }) => {
    const index = String(Resource['Fn::Join']?.[1].at(-1) ?? '').replace('/index/', ' ');
    return [Action]
      .flat()
      .filter((action) => /^dynamodb:(?!.*(Stream|GetRecords|GetShardIterator))/.test(action))
      .map((action) => `${action.replace('dynamodb:', '')}${index}`);
  });
};

/** Which operations may write the partitions that no others may. */
const writers: Record<string, readonly string[]> = {
  'MEMBERS#': ['putMember', 'deleteMember', 'putOrganization'],
  'NAMES#': ['putMember', 'putOrganization', 'createApiKey', 'updateApiKey'],
  'KEY#': ['createApiKey', 'updateApiKey', 'rotateApiKey', 'revokeApiKey'],
  'KEYS#': ['createApiKey', 'updateApiKey', 'rotateApiKey', 'revokeApiKey'],
};
const closedTo = (operationId: string): string[] =>
  Object.keys(writers).filter((prefix) => !writers[prefix]?.includes(operationId));

const renewer = 'renewIssuerKeys';
const counters = onPartitions('ForAllValues', 'REQUESTS#');
const ofIssuer = places.issuerKeys.partition({ uri: '' });
const issuerKeys = onPartitions('ForAllValues', ofIssuer);

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
  const granted = functionFiles.map(({ operation: { id } }) => [
    id,
    grantsOf(id, id === renewer ? issuerKeys : undefined).sort(),
  ]);
  expect(granted).toEqual(declared);
});

test('no permission has a condition but to count requests and to renew the issuer’s keys', async () => {
  for (const functionFile of await loadOperations()) {
    const { id } = functionFile.operation;
    const conditions = statementsOf(id).flatMap(({ Effect, Condition }) =>
      Effect === 'Allow' && Condition ? [Condition] : [],
    );
    const counts = isRouted(functionFile);
    const expected = id === renewer ? [issuerKeys] : counts ? [counters] : [];
    expect([id, conditions]).toEqual([id, expected]);
    if (counts) expect([id, grantsOf(id, counters)]).toEqual([id, ['UpdateItem']]);
  }
});

// Who can write the issuer's keys can make tokens; who can write platform keys, API keys or members can act for everyone
// else. That a role's denial holds for each kind of request is for `packages/runner/test/least-privilege.test.ts`.
test('every function is denied the platform’s keys, all but one the issuer’s keys, all but a few members and API keys, and all but those that check callers their reading too', async () => {
  expect(places.platformKey.partition({ keyId: '' })).toMatch(/^PLATFORM#/);
  const writes = ['DeleteItem', 'PutItem', 'UpdateItem'];
  const reads = ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'Query'];
  for (const functionFile of await loadOperations()) {
    const { id } = functionFile.operation;
    const actions = isRouted(functionFile) ? writes : [...reads, ...writes];
    const denied = {
      Effect: 'Deny',
      Action: actions.map((action) => `dynamodb:${action}`),
      Resource: { 'Fn::GetAtt': [expect.stringMatching(/^Table/), 'Arn'] },
      Condition: onPartitions(
        'ForAnyValue',
        ...(id === renewer ? [] : [ofIssuer]),
        'PLATFORM#',
        ...closedTo(id),
      ),
    };
    const denials = statementsOf(id).filter(({ Effect }) => Effect !== 'Allow');
    expect([id, denials]).toEqual([id, [denied]]);
  }
});

test('a function has no permission beyond the table but to log, to trace, to use queues and the bus', () => {
  const services = [...roles.values()]
    .flat()
    .flatMap(({ Action }) => [Action].flat().map((action: string) => action.split(':')[0]));
  expect([...new Set(services)].sort()).toEqual(['dynamodb', 'events', 'logs', 'sqs', 'xray']);
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
