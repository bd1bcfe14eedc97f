import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Assembly, readAssembly, synthesize } from './assembly.ts';
import { type Engine, type Storage, startEngine } from './engine.ts';
import type { LogTarget } from './environment.ts';
import { startGateway } from './gateway.ts';
import { startInvokeApi } from './invoke-api.ts';
import { audience, type LocalIssuer, startIssuer } from './issuer.ts';
import { Lambda } from './lambda.ts';
import { Processes } from './processes.ts';
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
  close(): Promise<void>;
}

/** Synthesizes the CDK app and runs what it made: engine, issuer, functions and gateway. */
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
    const assembly = await synthesizeFor(issuer, join(directory, 'cdk.out'), processes);
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
    const invokeApi = await startInvokeApi(assembly, lambda);
    closers.push(() => invokeApi.close());

    return {
      baseUrl: gateway.baseUrl,
      assembly,
      lambda,
      issuer,
      tableEndpoint,
      lambdaEndpoint: invokeApi.endpoint,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const synthesizeFor = async (
  issuer: LocalIssuer,
  directory: string,
  processes: Processes,
): Promise<Assembly> => {
  await synthesize(app, directory, { stack, issuer: issuer.url, audience }, processes);
  return readAssembly(directory, stack);
};
