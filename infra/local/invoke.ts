import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadOperations } from '../operations.ts';
import { CliError } from './cli-error.ts';
import { type DemoOrganization, makeDemo } from './demo.ts';
import { runUntilStopped } from './run.ts';
import { fillSample } from './sample.ts';
import { type Service, startService } from './service.ts';

const events = join(import.meta.dirname, '../../test/events');

const readEvent = async (file: string): Promise<string> => {
  if (!existsSync(file)) throw new CliError(`There is no event file ${file}.`);
  return readFile(file, 'utf8');
};

const eventOf = async (
  template: string,
  { baseUrl }: Service,
  organization: DemoOrganization,
): Promise<unknown> => {
  try {
    return await fillSample(template, baseUrl, organization);
  } catch (error) {
    throw new CliError(`The event file can't be used: ${(error as Error).message}`);
  }
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
    const event = await eventOf(template, service, organization!);
    const fn = service.assembly.functions.find(({ name }) => name.endsWith(`-${id}`))!;
    const outcome = await service.lambda.invoke(fn, event);
    if (outcome.kind === 'error')
      throw new CliError(`${outcome.errorType}: ${outcome.errorMessage}`);
    console.log(JSON.stringify(JSON.parse(outcome.payload ?? 'null'), null, 2));
  } finally {
    await service.close();
  }
  return undefined;
});
