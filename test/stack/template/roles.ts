import { isDeepStrictEqual } from 'node:util';
import type { Resources } from './references.ts';

export interface Statement {
  Effect: string;
  Action: string | string[];
  // biome-ignore lint/suspicious/noExplicitAny: an intrinsic function of any shape, or a text.
  Resource: any;
  Condition?: object;
}

/** The roles that an AWS service takes, such as `lambda.amazonaws.com`: by logical id, what each allows. */
export const rolesOf = (resources: Resources, service: string): Map<string, Statement[]> =>
  new Map(
    Object.entries(resources)
      .filter(([, { Type }]) => Type === 'AWS::IAM::Role')
      .filter(([, { Properties }]) =>
        JSON.stringify(Properties.AssumeRolePolicyDocument).includes(`"${service}"`),
      )
      .map(([id, { Properties }]) => [id, statementsIn(Properties.Policies ?? [])]),
  );

const statementsIn = (policies: { PolicyDocument: { Statement: Statement[] } }[]): Statement[] =>
  policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);

/** What the role of each function allows and denies, by the id of its operation. */
export const statementsByOperation = (resources: Resources): Map<string, Statement[]> => {
  const roles = rolesOf(resources, 'lambda.amazonaws.com');
  const functions = Object.values(resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
  return new Map(
    functions.map(({ Properties }) => [
      String(Properties.FunctionName).replace(/^.*-/, ''),
      roles.get(Properties.Role['Fn::GetAtt'][0]) ?? [],
    ]),
  );
};

/** How the partition keys begin that a statement's condition names. Throws for any other condition. */
export const partitionsIn = (condition: object): string[] => {
  const { 'ForAllValues:StringLike': like } = condition as Record<string, Record<string, unknown>>;
  const patterns = [like?.['dynamodb:LeadingKeys'] ?? []].flat();
  const known = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } };
  const begins = patterns.map((pattern) => /^([A-Z_]+#?)\*$/.exec(String(pattern))?.[1]);
  if (!isDeepStrictEqual(condition, known) || begins.length === 0 || begins.includes(undefined)) {
    throw new Error(`no partitions: ${JSON.stringify(condition)}`);
  }
  return begins as string[];
};
