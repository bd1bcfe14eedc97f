import { appendFileSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { audience } from '../../infra/local/login/issuer.ts';
import { type Service, startService } from '../../infra/local/service.ts';
import type { TableProperties } from '../../infra/local/template/assembly.ts';
import type { LocalFunction } from '../../infra/local/template/functions.ts';
import type { RestApi } from '../../infra/local/template/rest-api.ts';
import type { Surroundings } from './surroundings.ts';

export interface Running extends Surroundings {
  baseUrl: string;
  /** The template's table. */
  table: TableProperties;
  /** The template's API, with the origins below. */
  api: RestApi;
  /** Each with the directory of its bundle, and its variables. */
  functions: LocalFunction[];
  lambdaEndpoint: string;
  eventsEndpoint: string;
  eventBusName: string;
  /** Serves an empty page; one of two origins that may call the API from a browser. */
  pageOrigin: string;
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
// Vitest loads this file once for each of its projects: what they share is kept outside of it.
interface Shared {
  service?:
    | Promise<{ service: Service; page: Server; directory: string; provided: Running }>
    | undefined;
}
const everyone = globalThis as { sharedByProjects?: Shared };
everyone.sharedByProjects ??= {};
const shared = everyone.sharedByProjects;

const start = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-test-'));
  const usageFile = join(directory, 'usage.tsv');
  const logFile = join(directory, 'functions.log');
  const eventsFile = join(directory, 'events.jsonl');
  await writeFile(eventsFile, '');
  const page = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>');
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const pageOrigin = `http://localhost:${(page.address() as AddressInfo).port}`;
  const service = await startService({
    corsOrigins: ['https://first.example', pageOrigin],
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
    api: service.assembly.api,
    functions: service.assembly.functions,
    lambdaEndpoint: service.lambdaEndpoint,
    eventsEndpoint: service.eventsEndpoint,
    eventBusName: service.assembly.eventDeliveries[0]?.bus ?? '',
    issuer: service.issuer.url,
    audience,
    pageOrigin,
    signingKey: service.issuer.signingKey,
    certificate: await readFile(service.issuer.certificateFile, 'utf8'),
    usageFile,
    logFile,
    eventsFile,
  };
  return { service, page, directory, provided };
};

export const setup = async (project: TestProject): Promise<void> => {
  shared.service ??= start();
  const { provided } = await shared.service;
  project.provide('service', provided);
  project.provide('surroundings', provided);
};

export const teardown = async (): Promise<void> => {
  const ending = shared.service;
  shared.service = undefined;
  if (!ending) return;
  const { service, page, directory } = await ending;
  page.closeAllConnections();
  page.close();
  await service.close();
  await rm(directory, { recursive: true });
};
