import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type BusEvent,
  CliError,
  Clock,
  expectFreePort,
  makePrivate,
  replaceFile,
  type Storage,
  shiftMs,
} from '@leads-and-stars/runner';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isOrigin } from '../../infra/origin.ts';
import { runUntilStopped } from '../cli/run.ts';
import { wholeNumber } from '../cli/whole-number.ts';
import { demoApiKey, makeDemo, outsiderToken, tokensOf } from '../demo/demo.ts';
import { aheadMs, type ClockTime, clockTime } from '../service/clock-time.ts';
import type { Demo } from '../service/demo-organization.ts';
import { clearHome, clockDirectory, type Home, takeHome, usualDirectory } from '../service/home.ts';
import { clearReadyFile, writeReadyFile } from '../service/ready-file.ts';
import { busesOf, type Service, startService, usualOrigins } from '../service/service.ts';
import { announcement } from './announcement.ts';
import { numberMissing } from './number-missing.ts';
import { processesFor, processMegabytes } from './processes.ts';
import { watchBundles } from './reload.ts';
import { RequestLog } from './request-log.ts';
import { variablesText } from './variables.ts';

interface DevOptions {
  port: number;
  memory: boolean;
  dynamodbEndpoint?: string;
  environments: number;
  readyFile?: string;
  eventsFile?: string;
  corsOrigin?: string[];
  demo: boolean;
  redrive: boolean;
  clock?: ClockTime;
}

const url = (text: string): string => {
  if (URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be a URL.');
};

const origins = (text: string, before: string[] = []): string[] => {
  if (isOrigin(text)) return [...before, text];
  throw new InvalidArgumentError('It must be an origin such as http://localhost:5173.');
};

const environments = processesFor(process.availableMemory());

const program = new Command('npm run dev --')
  .description(
    'Synthesizes the CDK app and runs it on this machine. A function whose source changes is reloaded; a new ' +
      'function, a route, permissions and what else is in infra/ need another start.',
  )
  .option('--port <n>', 'port of the gateway, 0 for a free one', wholeNumber(0, 65_535), 3000)
  .option('--memory', 'keep the data in memory only', false)
  .addOption(
    new Option('--dynamodb-endpoint <url>', 'use a DynamoDB-compatible engine that runs already')
      .argParser(url)
      .conflicts('memory'),
  )
  .addOption(
    new Option(
      '--environments <n>',
      `execution environments of each function at most, and processes that the functions share, of ${processMegabytes} MB each`,
    )
      .argParser(wholeNumber(1, 1000))
      .default(
        environments,
        `what half of the available memory has room for, 4 at most: now ${environments}`,
      ),
  )
  .option(
    '--ready-file <file>',
    'write addresses, ids and tokens as JSON once it serves, also to this file (always to ' +
      '.local/service.json, for as long as it serves: a script can wait for that, also after a restart)',
  )
  .option('--events-file <file>', 'append each event that the service sends, as a line of JSON')
  .option(
    '--cors-origin <origin>',
    'let pages of this origin call the API; repeatable (http://localhost:5173, where Vite serves, unless told)',
    origins,
  )
  .option('--no-demo', 'make no demo data')
  .option('--redrive', 'give messages again that an earlier run gave up', false)
  .addOption(
    new Option(
      '--clock <time>',
      'run by a clock that npm run clock moves, from this time on, such as +0d; with data of its own',
    )
      .argParser(clockTime)
      .conflicts('dynamodbEndpoint'),
  )
  .addHelpText(
    'after',
    '\nWhat it keeps is in .local/. A second one, with a --port of its own, has .local/PORT/, now and later.',
  )
  .showHelpAfterError();

type LastingDemo = Demo & { api_key: string };

/** Makes the demo, with the keys of the last run. */
const makeLastingDemo = async (
  service: Service,
  { platformKeyFile, apiKeyFile }: Home,
): Promise<LastingDemo> => {
  const earlier = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
  const demo = await makeDemo(service, earlier(platformKeyFile));
  replaceFile(platformKeyFile, demo.platform_key);
  const api_key = await demoApiKey(service, demo.organizations[0]!, earlier(apiKeyFile));
  replaceFile(apiKeyFile, api_key);
  return { ...demo, api_key };
};

/** Writes down what others have to know of the service, with new tokens. */
const writeReady = async (
  service: Service,
  home: Home,
  demo: LastingDemo | undefined,
  { readyFile: file, clock }: Pick<DevOptions, 'readyFile' | 'clock'>,
) => {
  const { platform_key, api_key } = demo ?? {};
  const organizations = await Promise.all(
    (demo?.organizations ?? []).map(async (one) => ({
      ...one,
      tokens: await tokensOf(service, one.users),
    })),
  );
  [service.reference.organization] = organizations;
  const ready = {
    base_url: service.baseUrl,
    dynamodb_endpoint: service.tableEndpoint,
    lambda_endpoint: service.lambdaEndpoint,
    events_endpoint: service.eventsEndpoint,
    event_bus_name: busesOf(service).own,
    stripe_event_bus_name: busesOf(service).stripe,
    table_name: service.assembly.table.TableName,
    issuer: service.issuer.url,
    issuer_file: resolve(home.issuerFile),
    organizations,
    platform_key,
    api_key,
    outsider_token: await outsiderToken(service),
    clock: clock && { ahead_ms: shiftMs() },
  };
  replaceFile(home.variablesFile, variablesText(ready));
  writeReadyFile(home.readyFile, ready);
  if (file) writeReadyFile(file, ready);
};

const announce = (service: Service, home: Home, demo?: LastingDemo) => {
  console.log(announcement(service.baseUrl, demo !== undefined, home.variablesFile));
  if (home.directory !== usualDirectory) {
    console.log(`Its data and files are in ${home.directory}/; commands find it by --port.`);
  }
  const { takenPort } = service.issuer;
  if (takenPort !== undefined) {
    console.log(`Port ${takenPort} is in use, so tokens of earlier runs are not good now.`);
  }
};

/** Where a file is given, an event is there before it is shown. */
const eventSink = (file: string | undefined, show: (event: BusEvent) => void) => {
  try {
    if (file) makePrivate(file);
  } catch (error) {
    throw new CliError(`--events-file can't be written: ${(error as Error).message}`);
  }
  return (event: BusEvent) => {
    if (file) appendFileSync(file, `${JSON.stringify(event)}\n`);
    show(event);
  };
};

const start = async (options: DevOptions) => {
  // What the demo is made by is no news, and would push the first words off the screen.
  const earlyLines: string[] = [];
  let print = (text: string): void => void earlyLines.push(text);
  const requests = new RequestLog((text) => print(text));
  const settings = {
    port: options.port,
    environmentsPerFunction: options.environments,
    sharesProcesses: true,
    processMegabytes,
    redrives: options.redrive,
    corsOrigins: options.corsOrigin ?? usualOrigins,
    onEvent: eventSink(options.eventsFile, requests.sent),
    logs: requests.logged,
    onResponse: requests.addResponse,
  };
  const { readyFile, memory, dynamodbEndpoint: endpoint } = options;
  const clock = options.clock && new Clock(aheadMs(options.clock));
  if (readyFile) await clearReadyFile(readyFile);
  await expectFreePort(settings.port);
  const home = takeHome(settings.port, clock ? clockDirectory : usualDirectory);
  const ownStorage: Storage = memory ? 'memory' : { file: home.databaseFile };
  const storage: Storage =
    endpoint === undefined ? ownStorage : { endpoint, stateFile: home.stateFile };
  console.log('Synthesizing the app, and bundling its functions …');
  let service: Service | undefined;
  let isClosing = false;
  const bundles = watchBundles();
  const close = async () => {
    isClosing = true;
    clearHome(home);
    await bundles.then(
      (watched) => watched.close(),
      () => undefined,
    );
    await service?.close();
  };
  try {
    service = await startService({
      ...{ ...settings, storage, clock, bundles },
      issuerFile: home.issuerFile,
    });
    // Where there is much, it takes seconds.
    void numberMissing(service).catch((error) => {
      if (!isClosing)
        print(`Changes may be without a number until the next start: ${error.message}`);
    });
    const demo = options.demo ? await makeLastingDemo(service, home) : undefined;
    const running = service;
    await writeReady(running, home, demo, options);
    clock?.onMove(() => writeReady(running, home, demo, options));
    announce(service, home, demo);
    print = console.log;
    const { keptMessages: kept } = service;
    if (kept > 0) {
      print(`Messages that no function takes: ${kept}. --redrive gives dead letters again.`);
    }
    (await bundles).reload(service, print);
  } catch (error) {
    for (const line of earlyLines) console.log(line);
    await close();
    throw error;
  }
  return { close };
};

await program.action((options: DevOptions) => runUntilStopped(() => start(options))).parseAsync();
