import type { Resources } from './references.ts';

interface Statement {
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
