import { appendFileSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  IssuerIdentity,
  LocalFunction,
  RestApi,
  TableProperties,
} from '@leads-and-stars/runner';
import type { TestProject } from 'vitest/node';
import { mostPerSecond } from '../../lib/organizations/request-limit.ts';
import { localPlatformKey } from '../../tools/demo/platform-key.ts';
import { bundleInto, codeIn } from '../../tools/service/bundles.ts';
import { givePatience } from '../../tools/service/patience.ts';
import {
  busesOf,
  type Prepared,
  prepare,
  type Service,
  startService,
} from '../../tools/service/service.ts';
import type { Surroundings } from './surroundings.ts';

export interface Running extends Surroundings {
  baseUrl: string;
  /** Where the functions' code is. */
  codeDirectory: string;
  /** Where the app was synthesized into, and the issuer that it was synthesized for. */
  directory: string;
  issuerIdentity: IssuerIdentity;
  /** The template's table. */
  table: TableProperties;
  /** The template's API, with the origins below. */
  api: RestApi;
  /** Each with the directory of its bundle, and its variables. */
  functions: LocalFunction[];
  lambdaEndpoint: string;
  eventsEndpoint: string;
  eventBusName: string;
  /** The bus that stands for Stripe's, which has the name of its source. */
  stripeBusName: string;
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
    | Promise<{
        service: Service;
        prepared: Prepared;
        page: Server;
        directory: string;
        provided: Running;
      }>
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
  const codeDirectory = join(directory, 'code');
  const bundled = bundleInto(codeDirectory);
  const synthesized = await prepare({
    isBundled: false,
    corsOrigins: ['https://first.example', pageOrigin],
    // Some tests send more for one organization than it may by default: test/api/requests/limit.test.ts gives its own
    // organizations limits of their own.
    requestsPerSecond: mostPerSecond,
  });
  await bundled;
  const prepared = { ...synthesized, codeOf: await codeIn(codeDirectory) };
  const service = await startService({
    prepared,
    storage: 'memory',
    port: 0,
    environmentsPerFunction: 3,
    sharesProcesses: true,
    usageFile,
    logs: openSync(logFile, 'a'),
    onEvent: (event) => appendFileSync(eventsFile, `${JSON.stringify(event)}\n`),
  });
  const { url, audience, certificateFile, signingKey } = prepared.issuer;
  const provided: Running = {
    directory: prepared.directory,
    codeDirectory,
    issuerIdentity: { url, audience, certificateFile, signingKey },
    baseUrl: service.baseUrl,
    tableEndpoint: service.tableEndpoint,
    tableName: service.assembly.table.TableName,
    platformKey: await localPlatformKey(service.tableEndpoint, service.assembly.table.TableName),
    table: service.assembly.table,
    // As the template has them.
    api: structuredClone(service.assembly.api),
    functions: structuredClone(service.assembly.functions),
    lambdaEndpoint: service.lambdaEndpoint,
    eventsEndpoint: service.eventsEndpoint,
    eventBusName: busesOf(service).own,
    stripeBusName: busesOf(service).stripe ?? '',
    issuer: url,
    audience,
    pageOrigin,
    signingKey,
    certificate: await readFile(certificateFile, 'utf8'),
    usageFile,
    logFile,
    eventsFile,
  };
  // The faults' services have the template's own time.
  givePatience(service.assembly);
  return { service, prepared, page, directory, provided };
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
  const { service, prepared, page, directory } = await ending;
  page.closeAllConnections();
  page.close();
  await service.close();
  await prepared.close();
  await rm(directory, { recursive: true });
};
