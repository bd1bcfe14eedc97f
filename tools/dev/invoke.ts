import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CliError, credentials, functionOf, region } from '@leads-and-stars/runner';
import { defaultStackName } from '../../infra/stack-name.ts';
import { runToEnd } from '../cli/run.ts';
import { printable } from '../cli/terminal-text.ts';
import { makeDemo } from '../demo/demo.ts';
import { fillTemplate } from '../demo/fill-template.ts';
import type { Demo } from '../demo/organization.ts';
import { demoSender, demoSetting, settingBy } from '../examples/demo.ts';
import { loadExamples } from '../examples/load.ts';
import { sampleEvent } from '../examples/sample.ts';
import {
  runningService,
  type Wanted,
  wantedOf,
  wantedOptions,
  wantedUsage,
} from './running-service.ts';
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

const usage = (ids: readonly string[]) => `npm run invoke -- <operation> [event.json] [--running]

Runs one function once and prints what it answers, its log apart: in a copy of the service that is started
for it, with a demo of its own and nothing kept, or in the one that npm run dev runs. Without a file, the
event is the operation's first example. For scripts: npm run --silent invoke -- getBalance | jq .statusCode

  --running           invoke the function of the service that runs
${wantedUsage}
  --help              show this

Operations: ${ids.join(', ')}`;

const options = (ids: readonly string[]) => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        running: { type: 'boolean', default: false },
        ...wantedOptions,
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new CliError(`${(error as Error).message}\n\n${usage(ids)}`);
  }
};

/** Invokes by Lambda's own API, as another program does. */
const invokeRunning = async (
  lambda_endpoint: string,
  id: string,
  event: unknown,
): Promise<unknown> => {
  const lambda = new LambdaClient({
    endpoint: lambda_endpoint,
    region,
    credentials,
    maxAttempts: 1,
  });
  const FunctionName = `${defaultStackName}-${id}`;
  const Payload = JSON.stringify(event);
  const { FunctionError, Payload: answer } = await lambda
    .send(new InvokeCommand({ FunctionName, Payload }))
    .catch((error) => {
      throw new CliError(`The service at ${lambda_endpoint} does not answer: ${error.message}`);
    });
  const payload = JSON.parse(answer?.transformToString() || 'null');
  if (!FunctionError) return payload;
  throw new CliError(`${payload.errorType}: ${payload.errorMessage}`);
};

type Example = Awaited<ReturnType<typeof loadExamples>>[number];

const filled = (template: string, { organizations: [first], platform_key }: Demo): unknown =>
  JSON.parse(fillTemplate(template, { ...first, platform_key, uuid: randomUUID() }));

const inRunning = async (
  wanted: Wanted,
  example: Example,
  template: string | undefined,
): Promise<unknown> => {
  const ready = await runningService(wanted);
  const { base_url: baseUrl, lambda_endpoint, organizations, platform_key } = ready;
  if (!lambda_endpoint || !baseUrl || !organizations || !platform_key) {
    throw new CliError('The service has no demo: start it without --no-demo.');
  }
  const demo = { organizations, platform_key };
  const invoke = (id: string, event: unknown) => invokeRunning(lambda_endpoint, id, event);
  const setting = settingBy({ baseUrl, invoke }, demo);
  const event = template
    ? filled(template, demo)
    : await sampleEvent(example, setting, demoSender(demo));
  return invoke(example.operation.id, event);
};

const inCopy = async (example: Example, template: string | undefined): Promise<unknown> => {
  console.error(
    'Synthesizing, bundling and starting a copy of the service. --running takes the one that runs.',
  );
  // What made the demo is told only if that fails.
  const lines: string[] = [];
  let print = (line: string): void => void lines.push(line);
  const service = await startService({
    storage: 'memory',
    port: 0,
    environmentsPerFunction: 1,
    logs: (_name, line) => print(printable(JSON.stringify(line))),
  });
  try {
    const demo = await makeDemo(service);
    const event = template
      ? filled(template, demo)
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

await runToEnd(async () => {
  const all = await loadExamples();
  const ids = all.map(({ operation }) => operation.id);
  const { values, positionals } = options(ids);
  if (values.help) {
    console.log(usage(ids));
    return undefined;
  }
  const [id, file] = positionals;
  const one = all.find(({ operation }) => operation.id === id);
  if (!one) {
    const unknown = id === undefined ? '' : `There is no operation ${id}.\n\n`;
    throw new CliError(`${unknown}${usage(ids)}`);
  }
  const template = file === undefined ? undefined : await readEvent(file);
  const answer = await (values.running
    ? inRunning(wantedOf(values), one, template)
    : inCopy(one, template));
  console.log(printable(JSON.stringify(answer, null, 2)));
  return undefined;
});
