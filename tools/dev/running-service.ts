import { CliError } from '@leads-and-stars/runner';
import { homesInUse } from './home.ts';
import { type Ready, readReadyFile, serves } from './ready-file.ts';

/** Which service a command is meant for. */
export interface Wanted {
  /** The port of the service's gateway. */
  port?: number | undefined;
  readyFile?: string | undefined;
}

/** The options that say so, for `parseArgs`. */
export const wantedOptions = {
  port: { type: 'string' },
  'ready-file': { type: 'string' },
} as const;

/** What a command's help says of them. */
export const wantedUsage = `  --port N            the service at this port, if several run here
  --ready-file FILE   the service that npm run dev has written this file for`;

/** The service that these options name. */
export const wantedOf = (values: {
  port?: string | undefined;
  'ready-file'?: string | undefined;
}): Wanted => ({
  port: values.port === undefined ? undefined : toPort(values.port),
  readyFile: values['ready-file'],
});

const toPort = (text: string): number => {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new CliError('--port takes a whole number from 1 to 65535.');
};

/**
 * What the service says of itself that runs in this checkout, at this port, or with this ready file. Throws, in words,
 * where there is none, or more than one; `advice` is what else may be done about the former.
 */
export const runningService = async (
  { port, readyFile }: Wanted,
  advice = '',
  homes = homesInUse(),
): Promise<Partial<Ready>> => {
  if (readyFile !== undefined) {
    if (port !== undefined) throw new CliError('Give one of --port and --ready-file.');
    return withReadyFile(readyFile, advice);
  }
  const files = await Promise.all(homes.map((home) => readReadyFile(home.readyFile)));
  const running = files.filter((ready) => ready !== undefined);
  const [one, ...others] = running.filter((ready) => port === undefined || port === portOf(ready));
  if (others.length > 0) {
    const ports = running.map((ready) => `--port ${portOf(ready)}`).join(' or ');
    throw new CliError(`Several services run here: give ${ports}.`);
  }
  if (one) return one;
  const [at, option] = port === undefined ? ['', ''] : [` at port ${port}`, ` -- --port ${port}`];
  throw new CliError(`No service runs here${at}: start one with npm run dev${option}${advice}.`);
};

const portOf = ({ base_url = '' }: Partial<Ready>): number => Number(new URL(base_url).port);

const withReadyFile = async (file: string, advice: string): Promise<Partial<Ready>> => {
  const ready = await readReadyFile(file);
  if (!ready) throw new CliError(`There is no ${file} that npm run dev has written.`);
  const { base_url } = ready;
  if (base_url === undefined || (await serves(base_url))) return ready;
  throw new CliError(
    `No service runs at ${base_url}, as ${file} says: start one with npm run dev${advice}.`,
  );
};
