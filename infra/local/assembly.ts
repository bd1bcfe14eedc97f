import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CliError } from './cli-error.ts';
import { type EventDelivery, eventDeliveries } from './event-deliveries.ts';
import {
  ofType,
  type Resolve,
  type Resources,
  resolver,
  type TemplateResource,
} from './intrinsics.ts';
import { type Pipe, toPipe } from './pipe.ts';
import { type Preflight, toPreflight } from './preflight.ts';
import type { Processes } from './processes.ts';

const run = promisify(execFile);

/** What the runner needs of a synthesized stack, its intrinsic functions resolved. */
export interface Assembly {
  functions: LocalFunction[];
  routes: Route[];
  preflights: Preflight[];
  gatewayResponses: Map<string, GatewayResponse>;
  table: TableProperties;
  /** From the table's stream to the bus of outgoing events. */
  pipe: Pipe | undefined;
  stage: string;
  /** Names of the stack's event buses, and what becomes of the events on them. */
  eventBuses: string[];
  eventDeliveries: EventDelivery[];
}

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
}

export interface Route {
  method: string;
  /** As in the template: `/leads/{lead_id}`. */
  path: string;
  functionLogicalId: string;
  timeoutMilliseconds: number;
}

export interface GatewayResponse {
  statusCode: number;
  headers: Record<string, string>;
  template: string;
}

/** CloudFormation's properties of the table, with those of CreateTable among them. */
export type TableProperties = Record<string, unknown> & {
  TableName: string;
  TimeToLiveSpecification?: { AttributeName: string };
  StreamSpecification?: { StreamViewType: string };
};

/** Runs a CDK app in a process of its own, as the CDK command line does, and reads what it made. */
export const synthesize = async (
  app: string,
  outputDirectory: string,
  context: Record<string, string>,
  processes?: Processes,
): Promise<void> => {
  const env = {
    ...process.env,
    CDK_OUTDIR: outputDirectory,
    CDK_CONTEXT_JSON: JSON.stringify(context),
  };
  const running = run(process.execPath, [app], { env });
  processes?.adopt(running.child);
  await running.catch((error) => {
    throw new CliError(`The CDK app does not synthesize:\n${error.stderr || error.message}`);
  });
};

export const readAssembly = async (directory: string, stack: string): Promise<Assembly> => {
  const file = join(directory, `${stack}.template.json`);
  const { Resources: resources } = JSON.parse(await readFile(file, 'utf8')) as {
    Resources: Resources;
  };
  const resolve = resolver(resources);
  const isMock = ([, { Properties }]: [string, TemplateResource]) =>
    Properties.Integration.Type === 'MOCK';
  const methods = ofType(resources, 'AWS::ApiGateway::Method');
  const stage = ofType(resources, 'AWS::ApiGateway::Stage')[0]?.[1].Properties.StageName;
  return {
    functions: ofType(resources, 'AWS::Lambda::Function').map(([logicalId, resource]) =>
      toFunction(directory, resources, resolve, logicalId, resource),
    ),
    routes: methods
      .filter((method) => !isMock(method))
      .map(([, { Properties }]) => ({
        method: Properties.HttpMethod,
        path: pathOf(resources, Properties.ResourceId),
        functionLogicalId: integratedFunction(Properties.Integration.Uri),
        timeoutMilliseconds: Properties.Integration.TimeoutInMillis ?? 29_000,
      })),
    preflights: methods
      .filter(isMock)
      .map(([, method]) => toPreflight(pathOf(resources, method.Properties.ResourceId), method)),
    gatewayResponses: new Map(
      ofType(resources, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => [
        Properties.ResponseType,
        toGatewayResponse(Properties),
      ]),
    ),
    table: tableProperties(resources, resolve),
    pipe: ofType(resources, 'AWS::Pipes::Pipe').map(([, pipe]) => toPipe(pipe))[0],
    stage: String(stage),
    eventBuses: ofType(resources, 'AWS::Events::EventBus').map(([, { Properties }]) =>
      String(Properties.Name),
    ),
    eventDeliveries: eventDeliveries(resources, resolve),
  };
};

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

/** Every statement that allows something to a role. The service's policies deny nothing. */
const statementsOf = (resources: Resources, resolve: Resolve, role: string): Statement[] =>
  ofType(resources, 'AWS::IAM::Policy')
    .filter(([, { Properties }]) => Properties.Roles.some((r: { Ref: string }) => r.Ref === role))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
    .map((statement) => {
      if (statement.Effect !== 'Allow' || statement.Condition) {
        throw new Error(`the runner does not know ${JSON.stringify(statement)}`);
      }
      return {
        actions: [statement.Action].flat(),
        resources: [statement.Resource].flat().map((arn) => resolve(arn) as string),
      };
    });

const pathOf = (
  resources: Resources,
  id: { Ref?: string; 'Fn::GetAtt'?: [string, string] },
): string => {
  if (!id.Ref) return '';
  const { ParentId, PathPart } = resources[id.Ref]!.Properties;
  return `${pathOf(resources, ParentId)}/${PathPart}`;
};

/** The function in `…:lambda:path/…/functions/<arn>/invocations`. */
const integratedFunction = (uri: { 'Fn::Join': [string, unknown[]] }): string => {
  for (const part of uri['Fn::Join'][1]) {
    const target = (part as { 'Fn::GetAtt'?: [string, string] })['Fn::GetAtt'];
    if (target) return target[0];
  }
  throw new Error('the runner knows Lambda integrations only');
};

const toGatewayResponse = (properties: TemplateResource['Properties']): GatewayResponse => ({
  statusCode: Number(properties.StatusCode),
  headers: Object.fromEntries(
    Object.entries(properties.ResponseParameters as Record<string, string>).map(([name, value]) => [
      name.replace('gatewayresponse.header.', ''),
      value,
    ]),
  ),
  template: properties.ResponseTemplates['application/json'],
});

const tableProperties = (resources: Resources, resolve: Resolve): TableProperties => {
  const [first] = ofType(resources, 'AWS::DynamoDB::Table');
  if (!first) throw new Error('the stack has no table');
  const [logicalId, { Properties }] = first;
  return {
    ...(resolve(Properties) as Record<string, unknown>),
    TableName: resolve({ Ref: logicalId }) as string,
  };
};
