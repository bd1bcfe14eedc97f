import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { CliError, functionOf } from '@leads-and-stars/runner';
import { Command } from 'commander';
import { runToEnd } from '../cli/run.ts';
import { printable } from '../cli/terminal-text.ts';
import { makeDemo } from '../demo/demo.ts';
import { fillTemplate } from '../demo/fill-template.ts';
import { demoSender, demoSetting } from '../examples/demo.ts';
import { loadExamples } from '../examples/load.ts';
import { sampleEvent } from '../examples/sample.ts';
import { bundle } from '../service/bundles.ts';
import { startService, usualOrigins } from '../service/service.ts';

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

type OperationWithExamples = Awaited<ReturnType<typeof loadExamples>>[number];

const invoke = async (
  example: OperationWithExamples,
  template: string | undefined,
): Promise<unknown> => {
  console.error('Synthesizing, bundling and starting a copy of the service.');
  // The lines that tell how the demo was made are told only if that fails.
  const lines: string[] = [];
  let print = (line: string): void => void lines.push(line);
  const service = await startService({
    storage: 'memory',
    port: 0,
    environmentsPerFunction: 1,
    sharesProcesses: true,
    corsOrigins: usualOrigins,
    bundles: bundle(),
    logs: (_name, line) => print(printable(JSON.stringify(line))),
  });
  try {
    const demo = await makeDemo(service);
    const { organizations, platform_key } = demo;
    const values = { ...organizations[0], platform_key, uuid: randomUUID() };
    const event = template
      ? JSON.parse(fillTemplate(template, values))
      : await sampleEvent(example, demoSetting(service, demo), demoSender(demo));
    lines.length = 0;
    const fn = functionOf(service.assembly.functions, example.operation.id)!;
    const outcome = await service.lambda.invoke(fn, event);
    if (outcome.kind === 'error') {
      throw new CliError(`${outcome.errorType}: ${outcome.errorMessage}`);
    }
    return JSON.parse(outcome.payload ?? 'null');
  } finally {
    await service.close();
    // Nothing comes after the answer.
    print = () => undefined;
    for (const line of lines) console.error(line);
  }
};

const all = await loadExamples();
const operations = `Operations: ${all.map(({ operation }) => operation.id).join(', ')}`;

await new Command('npm run invoke --')
  .description(
    'Runs one function once and prints what it answers, its log apart: in a copy of the service that is started ' +
      'for it, with a demo of its own and nothing kept. ' +
      'For scripts: npm run --silent invoke -- getBalance | jq .statusCode',
  )
  .argument('<operation>', 'its id')
  .argument('[event.json]', 'the event; the operation’s first example unless told')
  .addHelpText('after', `\n${operations}`)
  .showHelpAfterError()
  .action((id: string, file: string | undefined) =>
    runToEnd(async () => {
      const one = all.find(({ operation }) => operation.id === id);
      if (!one) throw new CliError(`There is no operation ${id}.\n\n${operations}`);
      const answer = await invoke(one, file === undefined ? undefined : await readEvent(file));
      console.log(printable(JSON.stringify(answer, null, 2)));
    }),
  )
  .parseAsync();
