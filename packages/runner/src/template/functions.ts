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
  actions: string[];
  resources: string[];
  /** With what partition keys have to begin, where the statement has such a condition. */
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

/** Every statement that allows a role something: in the role itself, and in policies beside it. */
const statementsOf = (resources: Resources, resolve: Resolve, role: string): Statement[] => {
  const beside = ofType(resources, 'AWS::IAM::Policy')
    .map(([, { Properties }]) => Properties)
    .filter(({ Roles }) => Roles.some((r: { Ref: string }) => r.Ref === role));
  const policies = [...(resources[role]?.Properties.Policies ?? []), ...beside];
  return policies
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .map((statement) => {
      const leadingKeys = leadingKeysOf(statement.Condition);
      if (statement.Effect !== 'Allow' || (statement.Condition && !leadingKeys)) {
        throw new Error(`the runner does not know ${JSON.stringify(statement)}`);
      }
      return {
        ...(leadingKeys && { leadingKeys }),
        actions: [statement.Action].flat(),
        resources: [statement.Resource].flat().map((arn) => resolve(arn) as string),
      };
    });
};

/** The one condition that the runner knows: what partition keys begin with. */
const leadingKeysOf = (condition: Record<string, Record<string, unknown>> | undefined) => {
  const given = condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
  const patterns = [given ?? []].flat() as string[];
  const known =
    Object.keys(condition ?? {}).length === 1 &&
    Object.keys(condition?.['ForAllValues:StringLike'] ?? {}).length === 1 &&
    patterns.length > 0 &&
    patterns.every((pattern) => /^[^*?]+\*$/.test(pattern));
  return known ? patterns.map((pattern) => pattern.slice(0, -1)) : undefined;
};
