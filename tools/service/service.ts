import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AppOptions,
  type LocalIssuer,
  Processes,
  type RunningApp,
  startApp,
  startIssuer,
  synthesize,
} from '@leads-and-stars/runner';
import type { StackOptions } from '../../infra/options.ts';
import { defaultStackName } from '../../infra/stack-name.ts';
import { registerClock } from './clock-route.ts';
import { keptTemplate } from './kept-template.ts';
import { Reference } from './reference.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Whom the local issuer's tokens are for. */
export const audience = 'leads-and-stars-local';

/** Whose pages may call the API unless told: where Vite serves. */
export const usualOrigins = ['http://localhost:5173'];

/** Stands for an issuer in a template that is kept. */
const anyIssuer = 'https://issuer.invalid';

const project = join(import.meta.dirname, '../..');

/** What stands for Stripe's event source here, in test mode. */
const stripeSource = 'aws.partner/stripe.com/ed_test_local';

export interface PrepareOptions {
  /** Whose pages may call the API from a browser. */
  corsOrigins?: readonly string[] | undefined;
  /** What an organization may send; as the stack's default unless told. */
  requestsPerSecond?: number | undefined;
  /** Keeps the issuer's address and keys, so that its tokens outlive the process. */
  issuerFile?: string | undefined;
  /** Whether the functions' bundles are in it: by default they are. */
  isBundled?: boolean | undefined;
}

/** What a service is started from: it can be for several. */
export interface Prepared {
  issuer: LocalIssuer;
  /** The directory of the synthesized app. */
  directory: string;
  /** Where a function's bundle is, if not in the directory. */
  codeOf?: AppOptions['codeOf'];
  close(): Promise<void>;
}

/** Starts an issuer, and synthesizes the app for it, unless that was kept. */
export const prepare = async ({
  corsOrigins = [],
  requestsPerSecond,
  issuerFile,
  isBundled = true,
}: PrepareOptions = {}): Promise<Prepared> => {
  const directory = await temporaryDirectory('service');
  const issuer = await startIssuer({ audience, directory, stateFile: issuerFile });
  const processes = new Processes();
  const output = join(directory, 'cdk.out');
  const options: StackOptions = {
    // The port of an issuer is another each time, so a template that is kept has a name in place of its address.
    issuer: isBundled ? issuer.url : anyIssuer,
    audience,
    cors_origins: [...corsOrigins],
    stripe_event_source: stripeSource,
    ...(requestsPerSecond && { requests_per_second: requestsPerSecond }),
  };
  const context = {
    'runner:options': JSON.stringify(options),
    'runner:webhooks_to_localhost': 'true',
    ...(!isBundled && { 'aws:cdk:bundling-stacks': [] }),
  };
  const close = async () => {
    await issuer.close();
    await processes.close();
    await rm(directory, { recursive: true });
  };
  const file = join(output, `${defaultStackName}.template.json`);
  const make = async () => {
    await synthesize(join(project, 'infra/app.ts'), output, context, processes);
    return readFile(file, 'utf8');
  };
  try {
    if (isBundled) await make();
    else {
      const template = await keptTemplate(project, context, make);
      await mkdir(output, { recursive: true });
      await writeFile(file, template.replaceAll(anyIssuer, issuer.url));
    }
    return { issuer, directory: output, close };
  } catch (error) {
    await close();
    throw error;
  }
};

type OwnOptions = Omit<AppOptions, 'directory' | 'stack' | 'certificateFile' | 'extend' | 'codeOf'>;

export interface ServiceOptions extends OwnOptions, Omit<PrepareOptions, 'isBundled'> {
  /** Bundles made meanwhile, if not those of the synthesized app. */
  bundles?: Promise<Required<Pick<AppOptions, 'codeOf'>>> | undefined;
  /** What the service is started from, if that is there; it is not closed then. */
  prepared?: Prepared;
}

/** The service on this machine, with its issuer and its reference page. */
export interface Service extends RunningApp {
  issuer: LocalIssuer;
  reference: Reference;
}

/** Starts the service, as `npm run dev` does. */
export const startService = async ({
  prepared,
  corsOrigins,
  requestsPerSecond,
  issuerFile,
  bundles,
  ...options
}: ServiceOptions): Promise<Service> => {
  const toPrepare = { corsOrigins, requestsPerSecond, issuerFile, isBundled: !bundles };
  const from = prepared ?? (await prepare(toPrepare));
  const closeOwn = async () => {
    if (!prepared) await from.close();
  };
  const { issuer, directory } = from;
  const reference = new Reference(issuer);
  try {
    const running = await startApp({
      ...options,
      directory,
      stack: defaultStackName,
      certificateFile: issuer.certificateFile,
      codeOf: (await bundles)?.codeOf ?? from.codeOf,
      extend: (server) => {
        reference.register(server);
        if (options.clock) registerClock(server, options.clock);
      },
    });
    const close = async () => {
      await running.close();
      await closeOwn();
    };
    return { ...running, issuer, reference, close };
  } catch (error) {
    await closeOwn();
    throw error;
  }
};

/** The bus of your billing's events, and the bus of Stripe's events, if any: a partner's bus has the name of its source. */
export const busesOf = ({ assembly }: Service): { own: string; stripe?: string | undefined } => {
  const buses = assembly.eventDeliveries.map(({ bus }) => bus);
  return {
    own: buses.find((one) => !one.startsWith('aws.partner/'))!,
    stripe: buses.find((one) => one.startsWith('aws.partner/stripe.com/')),
  };
};
