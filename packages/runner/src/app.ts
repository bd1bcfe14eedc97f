import type { FastifyInstance } from 'fastify';
import { startAwsApis } from './aws-apis.ts';
import { assertNoClock, type Clock } from './clock/clock.ts';
import { type BusEvent, EventBus } from './events-in/event-bus.ts';
import type { MessageQueue } from './events-in/queue.ts';
import { startQueues } from './events-in/queues.ts';
import { startQueuesApi } from './events-in/queues-api.ts';
import { TableStream } from './events-out/stream.ts';
import { startStreamMapping } from './events-out/stream-mapping.ts';
import { startGateway } from './gateway/gateway.ts';
import type { ResponseSummary } from './gateway/response-summary.ts';
import type { LogTarget } from './lambda/environment.ts';
import { Lambda } from './lambda/lambda.ts';
import { Processes } from './machine/processes.ts';
import { startSchedules } from './schedules.ts';
import { State, stateFileOf } from './state/state.ts';
import { type Storage, startEngine } from './table/engine.ts';
import { ensureTable, partitionKeyOf, streamArnOf } from './table/table.ts';
import { startTableProxy } from './table/table-proxy.ts';
import { type Assembly, readAssembly } from './template/assembly.ts';
import type { LocalFunction } from './template/functions.ts';

export interface AppOptions {
  /** Where a CDK app was synthesized into. */
  directory: string;
  /** Which of its stacks to play. */
  stack: string;
  storage: Storage;
  /** Whether dead letters of earlier runs are given again. */
  redrives?: boolean | undefined;
  /** Where a function's bundle is, if not in the directory. */
  codeOf?: ((fn: LocalFunction) => string) | undefined;
  /** The port of the API; 0 for a free one. */
  port: number;
  /** Execution environments of each function at most. */
  environmentsPerFunction: number;
  /** Whether functions share processes, one for each of `environmentsPerFunction`; by default each environment has its own. */
  sharesProcesses?: boolean | undefined;
  /** What a process of functions may take: one that takes more ends when it is idle. */
  processMegabytes?: number | undefined;
  /** Whose time the app lives at, if not the machine's. Its database is of no use with another clock. */
  clock?: Clock | undefined;
  /** A certificate that the functions trust beside the public ones. */
  certificateFile?: string | undefined;
  /** What functions find in their environment beside the template's variables. */
  variables?: Readonly<Record<string, string>> | undefined;
  /** Where the functions' use of their permissions is noted. */
  usageFile?: string | undefined;
  /** Whether functions are given what happens in the table, by its stream: by default they are. */
  streamMappings?: boolean | undefined;
  /**
   * Takes each event that a function puts on a bus. If it answers an error code of PutEvents, the bus refuses the event
   * so; if it throws, the request fails.
   */
  onEvent?: ((event: BusEvent) => unknown) | undefined;
  /** Where the functions' logs go, if not to the runner's own output. */
  logs?: LogTarget | undefined;
  /** Told of each request to the API once it is answered. */
  onResponse?: ((answer: ResponseSummary) => void) | undefined;
  /** Adds what is served at the API's address, outside of its stage. */
  extend?: ((server: FastifyInstance) => void) | undefined;
}

/** A stack that is played on this machine. */
export interface RunningApp {
  /** The address of the API, with its stage. */
  baseUrl: string;
  assembly: Assembly;
  lambda: Lambda;
  /** Messages that are kept in queues that no function empties: dead letters most of all. */
  keptMessages: number;
  /** The engine itself, past the functions' permissions. */
  tableEndpoint: string;
  lambdaEndpoint: string;
  eventsEndpoint: string;
  close(): Promise<void>;
}

/** Plays a synthesized stack: engine, functions, queues, buses, the table's stream, and gateway. */
export const startApp = async (options: AppOptions): Promise<RunningApp> => {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const processes = new Processes();
    closers.push(() => processes.close());

    const assembly = await readAssembly(options.directory, options.stack);
    for (const fn of assembly.functions) fn.code = options.codeOf?.(fn) ?? fn.code;
    const tableEndpoint = await startEngine(processes, options.storage);
    await ensureTable(tableEndpoint, assembly.table);

    const streamArn = await streamArnOf(tableEndpoint, assembly.table.TableName);
    const state = new State(stateFileOf(options.storage, streamArn));
    closers.push(async () => state.close());
    const { clock } = options;
    if (clock) clock.keepIn(state);
    else assertNoClock(state);
    closers.push(async () => clock?.close());

    // Before anything can write: what happens from here on is sent.
    const isOthers = typeof options.storage === 'object' && 'endpoint' in options.storage;
    const from = isOthers ? 'LATEST' : 'TRIM_HORIZON';
    const open = (reader: string) =>
      TableStream.open(tableEndpoint, streamArn, { from, reader, state });
    const readers = await Promise.all(
      (options.streamMappings === false ? [] : assembly.streamMappings).map(async (mapping) => ({
        mapping,
        stream: await open(mapping.functionLogicalId),
      })),
    );

    const proxy = await startTableProxy(
      tableEndpoint,
      assembly.functions,
      partitionKeyOf(assembly.table),
      options.usageFile,
    );
    closers.push(() => proxy.close());
    const queues = new Map<string, MessageQueue>();
    const queuesApi = await startQueuesApi(
      assembly,
      options.streamMappings === false ? undefined : queues,
      options.usageFile,
    );
    closers.push(() => queuesApi.close());
    const bus = new EventBus(assembly, queues, state);
    const invoke: Lambda['invoke'] = (...event) => lambda.invoke(...event);
    const apis = await startAwsApis(assembly, { invoke }, bus, options);
    closers.push(() => apis.close());
    const lambda = new Lambda(processes, {
      tableEndpoint: proxy.endpoint,
      queuesEndpoint: queuesApi.endpoint,
      eventsEndpoint: apis.endpoint,
      certificateFile: options.certificateFile,
      variables: options.variables,
      environmentsPerFunction: options.environmentsPerFunction,
      sharesProcesses: options.sharesProcesses,
      processMegabytes: options.processMegabytes,
      clock,
      logs: options.logs ?? 'inherit',
    });
    const { kept } = startQueues(queues, assembly, lambda, {
      logs: options.logs ?? 'inherit',
      state,
      redrives: options.redrives,
    });
    closers.push(async () => {
      for (const queue of queues.values()) queue.close();
    });
    const schedules = startSchedules(assembly, lambda, state);
    closers.push(async () => schedules.close());
    clock?.onMove(() => {
      for (const queue of queues.values()) queue.lookAgain();
      return schedules.lookAgain();
    });
    const functions = new Map(assembly.functions.map((fn) => [fn.logicalId, fn]));
    for (const { mapping, stream } of readers) {
      const fn = functions.get(mapping.functionLogicalId)!;
      const reading = startStreamMapping(stream, mapping, (event) => lambda.invoke(fn, event));
      closers.push(() => reading.close());
    }
    const gateway = await startGateway(assembly.api, {
      port: options.port,
      onResponse: options.onResponse,
      extend: options.extend,
      invoke: (id, event, requestId) => lambda.invoke(functions.get(id)!, event, requestId),
    });
    closers.push(() => gateway.close());

    return {
      baseUrl: gateway.baseUrl,
      assembly,
      lambda,
      keptMessages: kept,
      tableEndpoint,
      lambdaEndpoint: apis.endpoint,
      eventsEndpoint: apis.endpoint,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
