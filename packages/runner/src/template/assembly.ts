import { readFile } from 'node:fs/promises';
import { resolve as absolute, join } from 'node:path';
import { type EventDelivery, eventDeliveries } from './event-deliveries.ts';
import { type LocalFunction, readFunctions } from './functions.ts';
import { ofType, type Resolve, type Resources, resolver } from './intrinsics.ts';
import { type QueueNames, type QueueSettings, readOtherQueues, readQueues } from './queues.ts';
import { type RestApi, readRestApi } from './rest-api.ts';
import { readSchedules, type Schedule } from './schedules.ts';
import { type StreamMapping, streamMappings } from './stream-mappings.ts';

/** The parts of a synthesized stack that the runner needs, their intrinsic functions resolved. */
export interface Assembly {
  api: RestApi;
  functions: LocalFunction[];
  table: TableProperties;
  /** From the table's stream to functions. */
  streamMappings: StreamMapping[];
  /** Names of the stack's event buses, and what becomes of the events on them. */
  eventBuses: string[];
  eventDeliveries: EventDelivery[];
  /** Queues that a function empties. */
  queues: QueueSettings[];
  otherQueues: QueueNames[];
  schedules: Schedule[];
}

/** CloudFormation's properties of the table, with those of CreateTable among them. */
export type TableProperties = Record<string, unknown> & {
  TableName: string;
  TimeToLiveSpecification?: { AttributeName: string };
  StreamSpecification?: { StreamViewType: string };
};

/** Reads the template that a CDK app has written into a directory. */
export const readAssembly = async (directory: string, stack: string): Promise<Assembly> => {
  const resources = await readResources(directory, stack);
  const resolve = resolver(resources, stack);
  const queues = readQueues(resources, resolve);
  const otherQueues = readOtherQueues(resources, resolve, queues);
  return {
    api: readRestApi(resources),
    functions: readFunctions(absolute(directory), resources, resolve),
    table: tableProperties(resources, resolve),
    streamMappings: streamMappings(resources),
    eventBuses: ofType(resources, 'AWS::Events::EventBus').map(([, { Properties }]) =>
      String(Properties.Name),
    ),
    eventDeliveries: eventDeliveries(resources, resolve, [...queues, ...otherQueues]),
    queues,
    otherQueues,
    schedules: readSchedules(resources),
  };
};

/** Reads the table alone, of a template that may have nothing else. */
export const readTable = async (directory: string, stack: string): Promise<TableProperties> => {
  const resources = await readResources(directory, stack);
  return tableProperties(resources, resolver(resources, stack));
};

const readResources = async (directory: string, stack: string): Promise<Resources> =>
  JSON.parse(await readFile(join(directory, `${stack}.template.json`), 'utf8')).Resources;

const tableProperties = (resources: Resources, resolve: Resolve): TableProperties => {
  const [first] = ofType(resources, 'AWS::DynamoDB::Table');
  if (!first) throw new Error('the stack has no table');
  const [logicalId, { Properties }] = first;
  return {
    ...(resolve(Properties) as Record<string, unknown>),
    TableName: resolve({ Ref: logicalId }) as string,
  };
};
