import { join } from 'node:path';
import { ofType, type Resolve, type Resources, type TemplateResource } from './intrinsics.ts';

export interface LocalFunction {
  logicalId: string;
  name: string;
  /** Directory of the bundle. */
  code: string;
  /** `file.export` */
  handler: string;
  timeoutSeconds: number;
  memoryMegabytes: number;
  environment: Record<string, string>;
  statements: Statement[];
}

export interface Statement {
  effect: 'Allow' | 'Deny';
  actions: string[];
  resources: string[];
  /** The beginnings that partition keys have to have, where the statement has such a condition. */
  leadingKeys?: string[];
}

/** The function that runs an operation: it is named after stack and operation. */
export const functionOf = (
  functions: readonly LocalFunction[],
  operationId: string,
): LocalFunction | undefined => functions.find(({ name }) => name.endsWith(`-${operationId}`));

/** Reads every function of a template that was synthesized into the directory, with its role. */
export const readFunctions = (
  directory: string,
  resources: Resources,
  resolve: Resolve,
): LocalFunction[] =>
  ofType(resources, 'AWS::Lambda::Function').map(([logicalId, resource]) =>
    toFunction(directory, resources, resolve, logicalId, resource),
  );

const toFunction = (
  directory: string,
  resources: Resources,
  resolve: Resolve,
  logicalId: string,
  { Properties }: TemplateResource,
): LocalFunction => ({
  logicalId,
  name: resolve(Properties.FunctionName) as string,
  code: join(directory, `asset.${Properties.Code.S3Key.replace(/\.zip$/, '')}`),
  handler: Properties.Handler,
  timeoutSeconds: Properties.Timeout ?? 3,
  memoryMegabytes: Properties.MemorySize ?? 128,
  environment: resolve(Properties.Environment?.Variables ?? {}) as Record<string, string>,
  statements: statementsOf(resources, resolve, Properties.Role['Fn::GetAtt'][0]),
});

/** Every statement of what a role may do, and may not: in the role itself, and in policies beside it. */
const statementsOf = (resources: Resources, resolve: Resolve, role: string): Statement[] => {
  const beside = ofType(resources, 'AWS::IAM::Policy')
    .map(([, { Properties }]) => Properties)
    .filter(({ Roles }) => Roles.some((r: { Ref: string }) => r.Ref === role));
  const policies = [...(resources[role]?.Properties.Policies ?? []), ...beside];
  return policies
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .map((statement) => {
      const { Effect: effect, Condition } = statement;
      const leadingKeys = Condition && leadingKeysOf(Condition, quantifiers[effect] ?? '');
      if (!(effect in quantifiers) || (Condition && !leadingKeys)) {
        throw new Error(`the runner does not know ${JSON.stringify(statement)}`);
      }
      return {
        effect,
        ...(leadingKeys && { leadingKeys }),
        actions: [statement.Action].flat(),
        resources: [statement.Resource].flat().map((arn) => resolve(arn) as string),
      };
    });
};

/** A statement allows a request by allowing all of its items, and denies it for any of them. */
const quantifiers: Record<string, string> = { Allow: 'ForAllValues', Deny: 'ForAnyValue' };

/** The beginnings of partition keys in a condition. The runner knows no other condition. */
const leadingKeysOf = (
  condition: Record<string, Record<string, unknown>>,
  quantifier: string,
): string[] | undefined => {
  const [operator, ...others] = Object.entries(condition);
  const [variable, ...more] = Object.entries(operator?.[1] ?? {});
  const patterns = [variable?.[1] ?? []].flat() as string[];
  const isKnown =
    operator?.[0] === `${quantifier}:StringLike` &&
    variable?.[0] === 'dynamodb:LeadingKeys' &&
    others.length + more.length === 0 &&
    patterns.length > 0 &&
    patterns.every((pattern) => /^[^*?]+\*$/.test(pattern));
  return isKnown ? patterns.map((pattern) => pattern.slice(0, -1)) : undefined;
};
