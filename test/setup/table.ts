import { join } from 'node:path';
import { ensureTable, type Processes, readTable, startEngine } from '@leads-and-stars/runner';
import { App, Stack } from 'aws-cdk-lib';
import { createTable } from '../../infra/table.ts';

/** Starts an engine in memory, with the template's table. What is synthesized is left in the directory. */
export const startTable = async (
  processes: Processes,
  directory: string,
): Promise<{ endpoint: string; name: string }> => {
  const endpoint = await startEngine(processes, 'memory');
  const table = await templateTable(directory);
  await ensureTable(endpoint, table);
  return { endpoint, name: table.TableName };
};

const templateTable = async (directory: string) => {
  const outdir = join(directory, 'cdk.out');
  // The CDK would hold the template against its schemas: that takes as long as all the rest.
  const app = new App({ outdir, builtinCloudFormationValidation: false });
  createTable(new Stack(app, 'Table'), {});
  app.synth();
  return readTable(outdir, 'Table');
};
