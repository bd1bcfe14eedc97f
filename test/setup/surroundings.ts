import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Processes, startIssuer } from '@leads-and-stars/runner';
import type { JWK } from 'jose';
import type { TestProject } from 'vitest/node';
import { localPlatformKey } from '../../tools/demo/platform-key.ts';
import { audience } from '../../tools/service/service.ts';
import { startTable } from './table.ts';

/** What functions need around them: a table and an issuer. */
export interface Surroundings {
  tableEndpoint: string;
  tableName: string;
  issuer: string;
  audience: string;
  signingKey: JWK;
  /** Of the issuer, PEM. */
  certificate: string;
  /** A key that may everything. */
  platformKey: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    surroundings: Surroundings;
  }
}

/** For tests that run the functions in their own process: an engine with the template's table, and an issuer. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-test-'));
  const processes = new Processes();
  const issuer = await startIssuer({ audience, directory });
  const table = await startTable(processes, directory);
  project.provide('surroundings', {
    tableEndpoint: table.endpoint,
    tableName: table.name,
    issuer: issuer.url,
    audience,
    signingKey: issuer.signingKey,
    certificate: await readFile(issuer.certificateFile, 'utf8'),
    platformKey: await localPlatformKey(table.endpoint, table.name),
  });
  return async () => {
    await issuer.close();
    await processes.close();
    await rm(directory, { recursive: true });
  };
};
