import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type BusEvent,
  CliError,
  expectFreePort,
  makePrivate,
  replaceFile,
} from '@leads-and-stars/runner';
import { isOrigin } from '../../infra/origin.ts';
import { runUntilStopped } from '../cli/run.ts';
import { makeDemo, outsiderToken } from '../demo/demo.ts';
import type { Demo } from '../demo/organization.ts';
import { announcement } from './announcement.ts';
import { clearHome, type Home, takeHome, usualDirectory } from './home.ts';
import { clearLeftReadyFile, clearReadyFile, writeReadyFile } from './ready-file.ts';
import { watchBundles } from './reload.ts';
import { RequestLog } from './request-log.ts';
import { type Service, startService } from './service.ts';
import { lockDatabase, storageOf } from './storage.ts';
import { variablesText } from './variables.ts';

const usage = `npm run dev -- [options]

Synthesizes the CDK app and runs it on this machine. A function whose source changes is reloaded; a new
function, a route, permissions and what else is in infra/ need another start.

  --port N                  port of the gateway, 0 for a free one (default 3000)
  --db FILE                 database file (default .local/leads-and-stars.db)
  --memory                  keep the data in memory only
  --dynamodb-endpoint URL   use a DynamoDB-compatible engine that runs already
  --environments N          execution environments of each function at most (default 4)
  --ready-file FILE         write addresses, ids and tokens as JSON once it serves, also to this file
                            (always to .local/service.json, for as long as it serves: a script can
                            wait for that, also after a restart)
  --events-file FILE        append each event that the service sends, as a line of JSON
  --cors-origin ORIGIN      let pages of this origin call the API; repeatable (default
                            http://localhost:5173, where Vite serves)
  --no-demo                 make no demo data
  --help                    show this

What it keeps is in .local/. A second one, with a --port of its own, has .local/PORT/, now and later.`;

const options = () => {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      port: { type: 'string', default: '3000' },
      db: { type: 'string' },
      memory: { type: 'boolean', default: false },
      'dynamodb-endpoint': { type: 'string' },
      environments: { type: 'string', default: '4' },
      'ready-file': { type: 'string' },
      'events-file': { type: 'string' },
      'cors-origin': { type: 'string', multiple: true, default: ['http://localhost:5173'] },
      demo: { type: 'boolean', default: true },
      help: { type: 'boolean', default: false },
    },
  });
  return values;
};
type Options = ReturnType<typeof options>;

const wholeNumber = (name: string, text: string, min: number, max: number): number => {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new CliError(`--${name} takes a whole number from ${min} to ${max}.`);
};

const origins = (given: string[]): string[] => {
  if (given.every(isOrigin)) return given;
  throw new CliError('--cors-origin takes an origin such as http://localhost:5173.');
};

/** Makes the demo, with the platform key of the last run. */
const makeLastingDemo = async (service: Service, { platformKeyFile: file }: Home) => {
  const demo = await makeDemo(service, existsSync(file) ? readFileSync(file, 'utf8') : undefined);
  replaceFile(file, demo.platform_key);
  return demo;
};

const announce = async (service: Service, home: Home, demo?: Demo, file?: string) => {
  const { organizations = [], platform_key } = demo ?? {};
  service.reference.organizations = organizations;
  const ready = {
    base_url: service.baseUrl,
    dynamodb_endpoint: service.tableEndpoint,
    lambda_endpoint: service.lambdaEndpoint,
    events_endpoint: service.eventsEndpoint,
    event_bus_name: service.assembly.eventDeliveries[0]?.bus,
    table_name: service.assembly.table.TableName,
    issuer: service.issuer.url,
    issuer_file: resolve(home.issuerFile),
    organizations,
    platform_key,
    outsider_token: await outsiderToken(service),
  };
  replaceFile(home.variablesFile, variablesText(ready));
  writeReadyFile(home.readyFile, ready);
  if (file) writeReadyFile(file, ready);
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

await runUntilStopped(async () => {
  let values: Options;
  try {
    values = options();
  } catch (error) {
    throw new CliError(`${(error as Error).message}\n\n${usage}`);
  }
  if (values.help) {
    console.log(usage);
    return undefined;
  }
  // What the demo is made by is no news, and would push the first words off the screen.
  const earlyLines: string[] = [];
  let print = (text: string): void => void earlyLines.push(text);
  const requests = new RequestLog((text) => print(text));
  const settings = {
    port: wholeNumber('port', values.port, 0, 65_535),
    environmentsPerFunction: wholeNumber('environments', values.environments, 1, 1000),
    corsOrigins: origins(values['cors-origin']),
    onEvent: eventSink(values['events-file'], requests.sent),
    logs: requests.logged,
    onResponse: requests.addResponse,
  };
  const givenStorage = storageOf(values);
  const wanted = values['ready-file'];
  if (wanted) await clearLeftReadyFile(wanted);
  await expectFreePort(settings.port);
  if (wanted) await clearReadyFile(wanted);
  const home = takeHome(settings.port);
  const storage = givenStorage ?? { file: home.databaseFile };
  if (typeof storage === 'object' && 'file' in storage) lockDatabase(storage.file);
  console.log('Synthesizing the app, and bundling its functions …');
  let service: Service | undefined;
  const bundles = watchBundles();
  let isBundled = false;
  // What fails is told by startService, which waits for them.
  bundles.then(
    () => {
      isBundled = true;
    },
    () => undefined,
  );
  const close = async () => {
    clearHome(home);
    await bundles.then(
      (watched) => watched.close(),
      () => undefined,
    );
    await service?.close();
  };
  try {
    service = await startService({
      ...settings,
      storage,
      issuerFile: home.issuerFile,
      bundles,
      onSynthesized: () => console.log(isBundled ? 'Starting …' : 'Bundling …'),
    });
    const demo = values.demo ? await makeLastingDemo(service, home) : undefined;
    await announce(service, home, demo, wanted);
    print = console.log;
    (await bundles).reload(service, print);
  } catch (error) {
    for (const line of earlyLines) console.log(line);
    await close();
    throw error;
  }
  return { close };
});
