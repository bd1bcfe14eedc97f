import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AppOptions,
  CliError,
  type LocalIssuer,
  Processes,
  type RunningApp,
  startApp,
  startIssuer,
} from '@leads-and-stars/runner';
import { defaultStackName } from '../../infra/stack-name.ts';
import { makeAssembly } from './assembly.ts';
import { makeBundles } from './bundles.ts';
import { Reference } from './reference.ts';
import { temporaryDirectory } from './temporary.ts';

/** Whom the local issuer's tokens are for. */
export const audience = 'leads-and-stars-local';

export interface PrepareOptions {
  /** Whose pages may call the API from a browser. */
  corsOrigins?: readonly string[] | undefined;
  /** What an organization may send; as the stack's default unless told. */
  requestsPerSecond?: number | undefined;
  /** Keeps the issuer's address and keys, so that its tokens outlive the process. */
  issuerFile?: string | undefined;
  /** Where the functions are bundled to, if somebody does that already. */
  bundles?: Promise<string> | undefined;
}

/** What a service is started from: it can be for several. */
export interface Prepared {
  issuer: LocalIssuer;
  /** Of the synthesized app. */
  directory: string;
  close(): Promise<void>;
}

/** What Node.js compiles of these bundles stays beside them: the next start finds it there. */
const keepCompiled = async (bundles: string, output: string): Promise<void> => {
  const kept = join(bundles, 'compile-cache');
  await mkdir(kept, { recursive: true });
  await symlink(kept, join(output, 'compile-cache'), 'junction');
};

/** Starts an issuer, and synthesizes the app for it, which may take longer than this. */
const begin = async ({
  corsOrigins = [],
  requestsPerSecond,
  issuerFile,
  bundles,
}: PrepareOptions) => {
  const directory = await temporaryDirectory('service');
  const issuer = await startIssuer({ audience, directory, stateFile: issuerFile });
  const processes = new Processes();
  const output = join(directory, 'cdk.out');
  let closed = false;
  let writing: Promise<void> | undefined;
  const synthesized = (async () => {
    const made = await (bundles ?? makeBundles(processes).then(({ directory }) => directory));
    if (closed) throw new CliError('It was stopped before it was synthesized.');
    const options = {
      issuer: issuer.url,
      audience,
      cors_origins: [...corsOrigins],
      ...(requestsPerSecond && { requests_per_second: requestsPerSecond }),
    };
    writing = makeAssembly(output, { options, bundles: made }, processes).then(() =>
      keepCompiled(made, output),
    );
    await writing;
    return output;
  })();
  // Whoever waits for it is told.
  synthesized.catch(() => {});
  const close = async () => {
    closed = true;
    await issuer.close();
    await processes.close();
    // It may be writing into the directory.
    await writing?.catch(() => {});
    await rm(directory, { recursive: true });
  };
  return { issuer, directory: synthesized, close };
};

/** Starts an issuer, and synthesizes the app for it. */
export const prepare = async (options: PrepareOptions = {}): Promise<Prepared> => {
  const { issuer, directory, close } = await begin(options);
  try {
    return { issuer, directory: await directory, close };
  } catch (error) {
    await close();
    throw error;
  }
};

type OwnOptions = Omit<AppOptions, 'directory' | 'stack' | 'certificateFile' | 'extend'>;

export interface ServiceOptions extends OwnOptions, PrepareOptions {
  /** What it is started from, if that is there; it is not closed then. */
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
  const from = prepared ?? (await begin({ corsOrigins, requestsPerSecond, issuerFile, bundles }));
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
      extend: (server) => reference.register(server),
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
