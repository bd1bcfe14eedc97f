import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError, functionOf } from '@leads-and-stars/runner';
import { loadOperations } from '../../infra/operations.ts';
import { runUntilStopped } from '../cli/run.ts';
import { makeDemo } from '../demo/demo.ts';
import { fillSample } from '../demo/sample.ts';
import { startService } from './service.ts';

const events = join(import.meta.dirname, '../../test/events');

const readEvent = async (file: string): Promise<string> => {
  if (!existsSync(file)) throw new CliError(`There is no event file ${file}.`);
  const event = await readFile(file, 'utf8');
  try {
    JSON.parse(event);
  } catch (error) {
    throw new CliError(`${file} is not JSON: ${(error as Error).message}`);
  }
  return event;
};

await runUntilStopped(async () => {
  const [id, file] = process.argv.slice(2);
  const ids = (await loadOperations()).map(({ operation }) => operation.id);
  if (!id || !ids.includes(id)) {
    throw new CliError(
      `npm run invoke -- <operation> [event.json]\n\nOperations: ${ids.join(', ')}`,
    );
  }
  const template = await readEvent(file ?? join(events, `${id}.json`));
  const service = await startService({
    storage: 'memory',
    port: 0,
    environmentsPerFunction: 1,
    logs: process.stderr.fd,
  });
  try {
    const [organization] = await makeDemo(service);
    const event = await fillSample(template, service.baseUrl, organization!);
    const fn = functionOf(service.assembly.functions, id)!;
    const outcome = await service.lambda.invoke(fn, event);
    if (outcome.kind === 'error')
      throw new CliError(`${outcome.errorType}: ${outcome.errorMessage}`);
    console.log(JSON.stringify(JSON.parse(outcome.payload ?? 'null'), null, 2));
  } finally {
    await service.close();
  }
  return undefined;
});
