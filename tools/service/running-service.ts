import { CliError, shiftDate } from '@leads-and-stars/runner';
import type { Command } from 'commander';
import { wholeNumber } from '../cli/whole-number.ts';
import { type Home, homesInUse } from './home.ts';
import { type Ready, readReadyFile, serves } from './ready-file.ts';

/** Which service a command is meant for. */
export interface Wanted {
  /** The port of the service's gateway. */
  port?: number | undefined;
  readyFile?: string | undefined;
}

/** Adds the options that say so. */
export const withWanted = (command: Command): Command =>
  command
    .option(
      '--port <n>',
      'the service at this port, if npm run dev runs several here',
      wholeNumber(1, 65_535),
    )
    .option('--ready-file <file>', 'the service that npm run dev has written this file for');

/**
 * What the service says of itself that runs in this checkout, at this port, or with this ready file. Throws, in words,
 * where there is none, or more than one; `advice` is what else may be done about the former. From then on, `Date` tells the
 * service's time.
 */
export const runningService = async (
  wanted: Wanted,
  advice = '',
  homes = homesInUse(),
): Promise<Partial<Ready>> => {
  const ready = await findService(wanted, advice, homes);
  if (ready.clock) shiftDate(ready.clock.ahead_ms);
  return ready;
};

const findService = async (
  { port, readyFile }: Wanted,
  advice: string,
  homes: Home[],
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
