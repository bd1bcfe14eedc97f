import { expect, test } from 'vitest';
import { isRouted, loadOperations } from '../../infra/operations.ts';
import { chainGrants } from '../../lib/handlers/http/serve.ts';
import { synthesized } from './synthesized.ts';

// The template itself, read without the runner's own reading of it.

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON of many shapes.
const resources: { Type: string; Properties: any }[] = Object.values(
  synthesized().toJSON().Resources,
);

interface PolicyStatement {
  Action: string | string[];
  Resource: { 'Fn::Join'?: [string, unknown[]] };
}

/** In the words of an operation's file: `PutItem`, `Query by_owner`. */
const grantsOf = (functionName: string): string[] => {
  const fn = resources.find(({ Properties }) => Properties.FunctionName === functionName);
  const role = fn?.Properties.Role['Fn::GetAtt'][0];
  const statements: PolicyStatement[] = resources
    .filter(({ Type }) => Type === 'AWS::IAM::Policy')
    .filter(({ Properties }) => Properties.Roles.some((r: { Ref: string }) => r.Ref === role))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
  return statements.flatMap(({ Action, Resource }) => {
    const index = String(Resource['Fn::Join']?.[1].at(-1) ?? '').replace('/index/', ' ');
    return [Action]
      .flat()
      .filter((action) => /^dynamodb:(?!.*(Stream|GetRecords|GetShardIterator))/.test(action))
      .map((action) => `${action.replace('dynamodb:', '')}${index}`);
  });
};

test('functions may do with the table what their operations declare, in the template too', async () => {
  const sources = await loadOperations();
  const declared = sources.map((source) => {
    const grants = [
      ...(isRouted(source) ? chainGrants(source.operation) : []),
      ...source.operation.table,
    ];
    return [source.operation.id, [...new Set(grants)].sort()];
  });
  const granted = sources.map(({ operation: { id } }) => [
    id,
    grantsOf(`LeadsAndStars-${id}`).sort(),
  ]);
  expect(granted).toEqual(declared);
});

test('a function has no permission beyond the table but to log, to trace and to take from its queue', () => {
  const services = resources
    .filter(({ Type }) => Type === 'AWS::IAM::Policy')
    .filter(({ Properties }) => !Properties.PolicyName.includes('EventsOut'))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .flatMap(({ Action }) => [Action].flat().map((action: string) => action.split(':')[0]));
  expect([...new Set(services)].sort()).toEqual(['dynamodb', 'logs', 'sqs', 'xray']);
});

test('functions have no permission but by those policies, and none on everything but to trace', () => {
  const roles = resources.filter(
    ({ Type, Properties }) =>
      Type === 'AWS::IAM::Role' &&
      JSON.stringify(Properties.AssumeRolePolicyDocument).includes('lambda.amazonaws.com'),
  );
  const functions = resources.filter(({ Type }) => Type === 'AWS::Lambda::Function');
  expect(roles.length).toBe(functions.length);
  for (const { Properties } of roles) {
    expect(Object.keys(Properties)).toEqual(['AssumeRolePolicyDocument']);
  }
  const onEverything = resources
    .filter(({ Type }) => Type === 'AWS::IAM::Policy')
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .filter((statement) => JSON.stringify(statement).includes('*'))
    .flatMap(({ Action }) => Action);
  expect([...new Set(onEverything)].sort()).toEqual([
    'xray:PutTelemetryRecords',
    'xray:PutTraceSegments',
  ]);
});
