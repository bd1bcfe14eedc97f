import { appendFileSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { TableProperties } from '../../infra/local/assembly.ts';
import { audience } from '../../infra/local/issuer.ts';
import { type Service, startService } from '../../infra/local/service.ts';
import type { Surroundings } from './surroundings.ts';

export interface Running extends Surroundings {
  baseUrl: string;
  /** The template's table. */
  table: TableProperties;
  lambdaEndpoint: string;
  eventsEndpoint: string;
  eventBusName: string;
  /** What each function was allowed and did: see `Usage` of the table proxy. */
  usageFile: string;
  logFile: string;
  /** Each event that was sent, a line of JSON. */
  eventsFile: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    service: Running;
  }
}

// One service for all tests, as `npm run dev` runs it. Each test has its own organization in it.
let running: Promise<{ service: Service; directory: string; provided: Running }> | undefined;

const start = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-test-'));
  const usageFile = join(directory, 'usage.tsv');
  const logFile = join(directory, 'functions.log');
  const eventsFile = join(directory, 'events.jsonl');
  await writeFile(eventsFile, '');
  const service = await startService({
    storage: 'memory',
    port: 0,
    environmentsPerFunction: 3,
    usageFile,
    logs: openSync(logFile, 'a'),
    onEvent: (event) => appendFileSync(eventsFile, `${JSON.stringify(event)}\n`),
  });
  const provided: Running = {
    baseUrl: service.baseUrl,
    tableEndpoint: service.tableEndpoint,
    tableName: service.assembly.table.TableName,
    table: service.assembly.table,
    lambdaEndpoint: service.lambdaEndpoint,
    eventsEndpoint: service.eventsEndpoint,
    eventBusName: service.assembly.eventDeliveries[0]?.bus ?? '',
    issuer: service.issuer.url,
    audience,
    signingKey: service.issuer.signingKey,
    certificate: await readFile(service.issuer.certificateFile, 'utf8'),
    usageFile,
    logFile,
    eventsFile,
  };
  return { service, directory, provided };
};

// Vitest asks once for each of its projects.
export const setup = async (project: TestProject): Promise<void> => {
  running ??= start();
  const { provided } = await running;
  project.provide('service', provided);
  project.provide('surroundings', provided);
};

export const teardown = async (): Promise<void> => {
  const ending = running;
  running = undefined;
  if (!ending) return;
  const { service, directory } = await ending;
  await service.close();
  await rm(directory, { recursive: true });
};
