import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type BusEvent, CliError, makePrivate, type Storage } from '@leads-and-stars/runner';
import { isOrigin } from '../../infra/origin.ts';
import { runUntilStopped } from '../cli/run.ts';
import { makeDemo, outsiderToken } from '../demo/demo.ts';
import type { Demo } from '../demo/organization.ts';
import { announcement } from './announcement.ts';
import {
  claimReadyFile,
  clearLeftReadyFile,
  clearReadyFile,
  issuerFile,
  makeOwnDirectory,
  readyFile,
  removeReadyFile,
  writeReadyFile,
} from './ready-file.ts';
import { watchBundles } from './reload.ts';
import { RequestLog } from './request-log.ts';
import { type Service, startService } from './service.ts';

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
                            wait for that, also after a restart; that of another running service stays)
  --events-file FILE        append each event that the service sends, as a line of JSON
  --cors-origin ORIGIN      let pages of this origin call the API; repeatable (default
                            http://localhost:5173, where Vite serves)
  --no-demo                 make no demo data
  --help                    show this`;

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

const storageOf = ({ db, memory, 'dynamodb-endpoint': endpoint }: Options): Storage => {
  if (Number(db !== undefined) + Number(memory) + Number(endpoint !== undefined) > 1) {
    throw new CliError('Give one of --db, --memory and --dynamodb-endpoint.');
  }
  if (memory) return 'memory';
  if (endpoint === undefined) return { file: db ?? '.local/leads-and-stars.db' };
  if (!URL.canParse(endpoint)) throw new CliError('--dynamodb-endpoint takes a URL.');
  return { endpoint };
};

const wholeNumber = (name: string, text: string, min: number, max: number): number => {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new CliError(`--${name} takes a whole number from ${min} to ${max}.`);
};

const origins = (given: string[]): string[] => {
  if (given.every(isOrigin)) return given;
  throw new CliError('--cors-origin takes an origin such as http://localhost:5173.');
};

const announce = async (service: Service, demo: Demo | undefined, file?: string) => {
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
    organizations,
    platform_key,
    outsider_token: await outsiderToken(service),
  };
  const other = await claimReadyFile(readyFile, ready);
  if (file) writeReadyFile(file, ready);
  console.log(announcement(service.baseUrl, organizations[0]));
  if (other) {
    console.log(`${readyFile} stays that of ${other}. Commands find this service by --ready-file.`);
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
    storage: storageOf(values),
    port: wholeNumber('port', values.port, 0, 65_535),
    environmentsPerFunction: wholeNumber('environments', values.environments, 1, 1000),
    corsOrigins: origins(values['cors-origin']),
    issuerFile,
    onEvent: eventSink(values['events-file'], requests.sent),
    logs: requests.logged,
    onResponse: requests.addResponse,
  };
  makeOwnDirectory();
  const wanted = values['ready-file'];
  await clearLeftReadyFile(readyFile);
  if (wanted) await clearReadyFile(wanted);
  console.log('Synthesizing the app; it serves in a few seconds …');
  let service: Service | undefined;
  const bundles = watchBundles();
  // Told by startService, which waits for them.
  bundles.catch(() => undefined);
  const close = async () => {
    if (service) await removeReadyFile(readyFile, service.baseUrl);
    await bundles.then(
      (watched) => watched.close(),
      () => undefined,
    );
    await service?.close();
  };
  try {
    service = await startService({ ...settings, bundles });
    const demo = values.demo ? await makeDemo(service) : undefined;
    await announce(service, demo, wanted);
    print = console.log;
    (await bundles).reload(service, print);
  } catch (error) {
    for (const line of earlyLines) console.log(line);
    await close();
    throw error;
  }
  return { close };
});
