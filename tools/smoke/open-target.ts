import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { CliError } from '@leads-and-stars/runner';
import { outputsOf, useRunner, useTable } from '../admin/target.ts';
import { listenToBus } from './bus-listener.ts';
import type { CleanUp } from './clean-up.ts';
import { Deployed } from './deployed-stack.ts';
import type { BusListener } from './listener.ts';
import { logInAsNew } from './new-user.ts';
import type { SmokeTarget } from './target.ts';

export interface SmokeOptions {
  stack?: string;
  port?: number;
  readyFile?: string;
  eventsFile?: string;
  wait: number;
}

type Ways = Pick<SmokeTarget, 'cleanUp' | 'stopped'>;

/** A deployed stack where one is named, else the runner on this machine. */
export const openSmokeTarget = async (options: SmokeOptions, ways: Ways): Promise<SmokeTarget> => {
  const runId = randomUUID();
  const part =
    options.stack === undefined
      ? await openRunner(options)
      : await openStack(options.stack, options, runId, ways.cleanUp);
  return { ...part, ...ways, runId, waitMs: options.wait * 1000, made: { changes: [] } };
};

type Part = Omit<SmokeTarget, keyof Ways | 'runId' | 'waitMs' | 'made'>;

const openStack = async (
  stack: string,
  options: SmokeOptions,
  runId: string,
  cleanUp: CleanUp,
): Promise<Part> => {
  if (options.port ?? options.readyFile ?? options.eventsFile) {
    throw new CliError('Give --stack, or --port, --ready-file and --events-file.');
  }
  const output = await outputsOf(stack);
  useTable(output);
  // Only some stacks have a user pool of their own.
  const userPool = output('UserPoolId', 'none');
  const { LEADS_TOKEN } = process.env;
  const logIn = LEADS_TOKEN
    ? async () => LEADS_TOKEN
    : userPool === 'none'
      ? undefined
      : () => logInAsNew({ userPool, client: output('Audience'), runId }, cleanUp);
  return {
    baseUrl: output('BaseUrl'),
    eventsInBus: output('EventsInBus'),
    deployed: new Deployed(stack, output('AlarmTopic')),
    logIn,
    noLoginReason: 'The issuer is your own: give the id_token of any user in LEADS_TOKEN.',
    listen: () => listenToBus({ stack, bus: output('EventsOutBus'), runId }, cleanUp),
    noListenerReason: '',
  };
};

const openRunner = async ({ eventsFile, ...wanted }: SmokeOptions): Promise<Part> => {
  const { base_url, events_endpoint, event_bus_name, organizations } = await useRunner(wanted);
  if (!base_url || !events_endpoint || !event_bus_name) {
    throw new CliError(`${wanted.readyFile} is not a file that npm run dev has written.`);
  }
  process.env.AWS_ENDPOINT_URL_EVENTBRIDGE = events_endpoint;
  const token = organizations?.[0]?.tokens.owner;
  const listener = eventsFile === undefined ? undefined : listenToFile(eventsFile);
  return {
    baseUrl: base_url,
    eventsInBus: event_bus_name,
    deployed: undefined,
    logIn: token === undefined ? undefined : async () => token,
    noLoginReason: 'Here are no users: npm run dev was started with --no-demo.',
    listen: listener && (async () => listener),
    noListenerReason: 'Start npm run dev with --events-file FILE, and give the same here.',
  };
};

/** Reads what the runner appends to its file of events from now on. */
const listenToFile = (file: string): BusListener => {
  if (!existsSync(file)) throw new CliError(`There is no events file ${file}.`);
  const { size } = statSync(file);
  return {
    received: async () => {
      const lines = readFileSync(file).subarray(size).toString().split('\n');
      // The last line may be half written.
      return lines.slice(0, -1).map((line) => JSON.parse(line));
    },
  };
};
