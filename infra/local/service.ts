import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Assembly, readAssembly, synthesize } from './assembly.ts';
import { startAwsApis } from './aws-apis.ts';
import { type Engine, type Storage, startEngine } from './engine.ts';
import type { LogTarget } from './environment.ts';
import { EventBus } from './event-bus.ts';
import { startGateway } from './gateway.ts';
import { audience, type LocalIssuer, startIssuer } from './issuer.ts';
import { Lambda } from './lambda.ts';
import { Processes } from './processes.ts';
import { startQueues } from './queues.ts';
import { ensureTable } from './table.ts';
import { startTableProxy } from './table-proxy.ts';

const app = join(import.meta.dirname, '../app.ts');
const stack = 'LeadsAndStars';

export interface ServiceOptions {
  storage: Storage;
  engine?: Engine;
  port: number;
  environmentsPerFunction: number;
  /** Where the functions' use of their permissions is noted. */
  usageFile?: string;
  /** Where the functions' logs go, if not to the runner's own output. */
  logs?: LogTarget;
}

export interface Service {
  baseUrl: string;
  assembly: Assembly;
  lambda: Lambda;
  issuer: LocalIssuer;
  tableEndpoint: string;
  lambdaEndpoint: string;
  eventsEndpoint: string;
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
    const assembly = await synthesizeFor(issuer, join(directory, 'cdk.out'));
    const tableEndpoint = await startEngine(processes, options.storage, options.engine);
    await ensureTable(tableEndpoint, assembly.table);

    const proxy = await startTableProxy(tableEndpoint, assembly.functions, options.usageFile);
    closers.push(() => proxy.close());
    const lambda = new Lambda(processes, {
      tableEndpoint: proxy.endpoint,
      certificateFile: issuer.certificateFile,
      environmentsPerFunction: options.environmentsPerFunction,
      logs: options.logs ?? 'inherit',
    });
    const functions = new Map(assembly.functions.map((fn) => [fn.logicalId, fn]));
    const gateway = await startGateway(assembly, {
      port: options.port,
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
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const synthesizeFor = async (issuer: LocalIssuer, directory: string): Promise<Assembly> => {
  await synthesize(app, directory, { stack, issuer: issuer.url, audience });
  return readAssembly(directory, stack);
};
