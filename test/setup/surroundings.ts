import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ensureTable,
  Processes,
  readAssembly,
  startEngine,
  startIssuer,
} from '@leads-and-stars/runner';
import { App, Stack } from 'aws-cdk-lib';
import type { JWK } from 'jose';
import type { TestProject } from 'vitest/node';
import { createTable } from '../../infra/table.ts';
import { audience } from '../../tools/dev/service.ts';

/** What functions need around them: a table and an issuer. */
export interface Surroundings {
  tableEndpoint: string;
  tableName: string;
  issuer: string;
  audience: string;
  signingKey: JWK;
  /** Of the issuer, PEM. */
  certificate: string;
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
  const tableEndpoint = await startEngine(processes, 'memory');
  const table = await templateTable(directory);
  await ensureTable(tableEndpoint, table);
  project.provide('surroundings', {
    tableEndpoint,
    tableName: table.TableName,
    issuer: issuer.url,
    audience,
    signingKey: issuer.signingKey,
    certificate: await readFile(issuer.certificateFile, 'utf8'),
  });
  return async () => {
    await issuer.close();
    await processes.close();
    await rm(directory, { recursive: true });
  };
};

const templateTable = async (directory: string) => {
  const outdir = join(directory, 'cdk.out');
  // The CDK would hold the template against its schemas: that takes as long as all the rest.
  const app = new App({ outdir, builtinCloudFormationValidation: false });
  createTable(new Stack(app, 'Table'));
  app.synth();
  return (await readAssembly(outdir, 'Table')).table;
};
