import { existsSync, readFileSync, statSync } from 'node:fs';
import { CliError } from '@leads-and-stars/runner';
import { defaultStackName } from '../../infra/stack-name.ts';
import { outputsOf, useAccount, useRunner } from '../admin/target.ts';
import { listenToBus } from './bus-listener.ts';
import { Deployed } from './deployed-stack.ts';
import type { Listener } from './listener.ts';

export interface Options {
  stack?: string;
  profile?: string;
  region?: string;
  port?: number;
  readyFile?: string;
  eventsFile?: string;
  organization?: string;
}

/** The service under test. The SDK's clients find the rest of it by environment variables. */
export interface Target {
  baseUrl: string;
  stack: string;
  organization: string | undefined;
  /** The token of a member who may write leads. */
  token: string | undefined;
  /** Of the role `platform`. */
  platformKey: string | undefined;
  /** Undefined if it runs on this machine. */
  deployed: Deployed | undefined;
  listener: Listener | undefined;
  /** Why there is no listener, for people. */
  noListenerReason?: string;
}

/** A deployed stack where one is named, else the runner on this machine. */
export const openTarget = (options: Options): Promise<Target> => {
  if (options.stack !== undefined) return openStack(options.stack, options);
  if (options.profile ?? options.region ?? options.organization) {
    throw new CliError('--profile, --region and --organization go with --stack NAME.');
  }
  return openRunner(options);
};

const openStack = async (stack: string, options: Options): Promise<Target> => {
  if (options.port ?? options.readyFile ?? options.eventsFile) {
    throw new CliError('Give --stack, or --port, --ready-file and --events-file.');
  }
  useAccount(options);
  const output = await outputsOf(stack);
  const { organization } = options;
  const token = process.env.LEADS_TOKEN;
  const platformKey = process.env.PLATFORM_KEY;
  const target = { baseUrl: output('BaseUrl'), stack, organization, token, platformKey };
  const listens = token !== undefined && organization !== undefined;
  return {
    ...target,
    deployed: new Deployed(stack),
    listener: listens ? await listenToBus(stack, output('EventsOutBus')) : undefined,
    noListenerReason: 'No lead is made.',
  };
};

const openRunner = async ({ eventsFile, ...wanted }: Options): Promise<Target> => {
  const { base_url, platform_key, organizations = [] } = await useRunner(wanted);
  if (!base_url) throw new CliError(`${wanted.readyFile} has no base_url.`);
  const [first] = organizations;
  return {
    baseUrl: base_url,
    stack: defaultStackName,
    organization: first?.organization_id,
    token: first?.tokens.owner,
    platformKey: platform_key,
    deployed: undefined,
    listener: eventsFile === undefined ? undefined : listenToFile(eventsFile),
    noListenerReason: 'Start npm run dev with --events-file FILE, and give the same here.',
  };
};

/** Reads what the runner appends to its file of events from now on. */
const listenToFile = (file: string): Listener => {
  if (!existsSync(file)) throw new CliError(`There is no events file ${file}.`);
  const { size } = statSync(file);
  return {
    received: async () => {
      const lines = readFileSync(file).subarray(size).toString().split('\n');
      // The last line may be half written.
      return lines.slice(0, -1).map((line) => JSON.parse(line));
    },
    close: async () => {},
  };
};
