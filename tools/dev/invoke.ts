import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { CliError, functionOf } from '@leads-and-stars/runner';
import { runUntilStopped } from '../cli/run.ts';
import { makeDemo } from '../demo/demo.ts';
import { fillTemplate } from '../demo/fill-template.ts';
import { demoSender, demoSetting } from '../examples/demo.ts';
import { loadExamples } from '../examples/load.ts';
import { sampleEvent } from '../examples/sample.ts';
import { startService } from './service.ts';

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
  const all = await loadExamples();
  const one = all.find(({ operation }) => operation.id === id);
  if (!id || !one) {
    const ids = all.map(({ operation }) => operation.id);
    throw new CliError(
      `npm run invoke -- <operation> [event.json]\n\nOperations: ${ids.join(', ')}`,
    );
  }
  const template = file === undefined ? undefined : await readEvent(file);
  const service = await startService({
    storage: 'memory',
    port: 0,
    environmentsPerFunction: 1,
    logs: process.stderr.fd,
  });
  try {
    const [organization] = await makeDemo(service);
    const event = template
      ? JSON.parse(fillTemplate(template, { ...organization, uuid: randomUUID() }))
      : await sampleEvent(one, demoSetting(service, organization!), demoSender(organization!));
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
