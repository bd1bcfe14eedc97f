import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultStackName as stack } from '../stack-name.ts';
import { startAwsApis } from './aws-apis.ts';
import { EventBus } from './events-in/event-bus.ts';
import { startQueues } from './events-in/queues.ts';
import { type BusEvent, startPipe } from './events-out/pipe.ts';
import { type StreamOptions, TableStream } from './events-out/stream.ts';
import type { Answer } from './gateway/answer.ts';
import { startGateway } from './gateway/gateway.ts';
import type { LogTarget } from './lambda/environment.ts';
import { Lambda } from './lambda/lambda.ts';
import { audience, type LocalIssuer, startIssuer } from './login/issuer.ts';
import { Processes } from './machine/processes.ts';
import { Reference } from './reference.ts';
import { type Engine, type Storage, startEngine } from './table/engine.ts';
import { ensureTable } from './table/table.ts';
import { startTableProxy } from './table/table-proxy.ts';
import { type Assembly, readAssembly } from './template/assembly.ts';
import { synthesize } from './template/synthesize.ts';

const app = join(import.meta.dirname, '../app.ts');

export interface ServiceOptions {
  storage: Storage;
  engine?: Engine;
  port: number;
  environmentsPerFunction: number;
  /** Where the functions' use of their permissions is noted. */
  usageFile?: string;
  /** Takes each event that the service sends. Without it, none is made. */
  onEvent?: (event: BusEvent) => void;
  /** Where the functions' logs go, if not to the runner's own output. */
  logs?: LogTarget;
  /** Told of each request to the API once it is answered. */
  onAnswer?: (answer: Answer) => void;
  /** Whose pages may call the API from a browser. */
  corsOrigins?: readonly string[];
}

export interface Service {
  baseUrl: string;
  assembly: Assembly;
  lambda: Lambda;
  issuer: LocalIssuer;
  tableEndpoint: string;
  lambdaEndpoint: string;
  eventsEndpoint: string;
  reference: Reference;
  close(): Promise<void>;
}

/** Synthesizes the CDK app and runs what it made: engine, issuer, functions, queues and gateway. */
export const startService = async (options: ServiceOptions): Promise<Service> => {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-'));
    closers.push(() => rm(directory, { recursive: true }));
    const processes = new Processes();
    closers.push(() => processes.close());

    const issuer = await startIssuer(directory);
    closers.push(() => issuer.close());
    const tableEndpoint = await startEngine(processes, options.storage, options.engine);
    const cdkOut = join(directory, 'cdk.out');
    const assembly = await synthesizeFor(issuer, options.corsOrigins ?? [], cdkOut, processes);
    await ensureTable(tableEndpoint, assembly.table);

    // Before anything can write: what happens from here on is sent.
    const stream = options.onEvent && (await openStream(tableEndpoint, assembly, options.storage));

    const proxy = await startTableProxy(tableEndpoint, assembly.functions, options.usageFile);
    closers.push(() => proxy.close());
    const lambda = new Lambda(processes, {
      tableEndpoint: proxy.endpoint,
      certificateFile: issuer.certificateFile,
      environmentsPerFunction: options.environmentsPerFunction,
      logs: options.logs ?? 'inherit',
    });
    const functions = new Map(assembly.functions.map((fn) => [fn.logicalId, fn]));
    if (stream && options.onEvent && assembly.pipe) {
      const describe = functions.get(assembly.pipe.enrichmentLogicalId)!;
      const pipe = startPipe(stream, assembly.pipe, {
        enrich: (records) => lambda.invoke(describe, records),
        deliver: options.onEvent,
      });
      closers.push(() => pipe.close());
    }
    const reference = new Reference(issuer);
    const gateway = await startGateway(assembly.api, {
      port: options.port,
      onAnswer: options.onAnswer,
      extend: (server) => reference.register(server),
      invoke: (id, event, requestId) => lambda.invoke(functions.get(id)!, event, requestId),
    });
    closers.push(() => gateway.close());
    const queues = startQueues(assembly, lambda, options.logs ?? 'inherit');
    closers.push(async () => {
      for (const queue of queues.values()) queue.close();
    });
    const apis = await startAwsApis(assembly, lambda, new EventBus(assembly, queues));
    closers.push(() => apis.close());

    return {
      baseUrl: gateway.baseUrl,
      assembly,
      lambda,
      issuer,
      tableEndpoint,
      lambdaEndpoint: apis.endpoint,
      eventsEndpoint: apis.endpoint,
      reference,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const synthesizeFor = async (
  issuer: LocalIssuer,
  corsOrigins: readonly string[],
  directory: string,
  processes: Processes,
): Promise<Assembly> => {
  const context = { stack, issuer: issuer.url, audience, cors_origins: corsOrigins.join(',') };
  await synthesize(app, directory, context, processes);
  return readAssembly(directory, stack);
};

/**
 * A database of the runner's own is read on from where the last run came to, its first time from the
 * beginning; an engine of someone else's, from now on.
 */
const openStream = (endpoint: string, { table }: Assembly, storage: Storage) => {
  const options: StreamOptions =
    storage === 'memory'
      ? { from: 'TRIM_HORIZON' }
      : 'endpoint' in storage
        ? { from: 'LATEST' }
        : { from: 'TRIM_HORIZON', checkpointFile: `${storage.file}.events.json` };
  return TableStream.open(endpoint, table.TableName, options);
};
