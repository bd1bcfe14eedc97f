import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CliError, makePrivateDirectory, releaseLock, takeLock } from '@leads-and-stars/runner';

/** Where services of this checkout keep what is theirs: the directory of the first service. */
export const usualDirectory = '.local';
/** Where services with a clock of their own do: by another clock, their data is of no use. */
export const clockDirectory = join(usualDirectory, 'clock');

/** The directory of one service: its data, and its files for the tools beside it. No two services that run have the same. */
export interface Home {
  directory: string;
  /** Says where it serves, for as long as it does. */
  readyFile: string;
  /** Variables for a shell, for as long as it serves. */
  variablesFile: string;
  /** Keeps the issuer's address and keys, so that tokens are good after a restart. */
  issuerFile: string;
  /** Keeps the demo's platform key, likewise. */
  platformKeyFile: string;
  /** Keeps the API key of the demo's first organization, likewise. */
  apiKeyFile: string;
  databaseFile: string;
  /** Keeps what the runner has of an engine of someone else's; beside a database of its own, it is there. */
  stateFile: string;
  /** Lets another service have it, as the end of the process does. */
  release(): void;
}

const homeAt = (directory: string): Home => ({
  directory,
  readyFile: join(directory, 'service.json'),
  variablesFile: join(directory, 'env.sh'),
  issuerFile: join(directory, 'issuer.json'),
  platformKeyFile: join(directory, 'platform-key'),
  apiKeyFile: join(directory, 'api-key'),
  databaseFile: join(directory, 'leads-and-stars.db'),
  stateFile: join(directory, 'engine.state'),
  release: () => releaseLock(lockIn(directory)),
});

const lockIn = (directory: string): string => join(directory, 'lock');

/**
 * Takes the directory for a service at this port: `.local/`, or `.local/<port>/` if another service has `.local/` or if that
 * port had its own before. Removes the addresses that a killed service has left.
 */
export const takeHome = (port: number, root = usualDirectory): Home => {
  makeDirectory(root);
  const own = homeAt(join(root, String(port)));
  for (const home of existsSync(own.directory) ? [own] : [homeAt(root), own]) {
    makeDirectory(home.directory);
    if (!takeLock(lockIn(home.directory), 500)) continue;
    clearHome(home);
    return home;
  }
  throw new CliError(`Another service has ${own.directory}/: give a port of its own with --port.`);
};

/** Removes what is good only while the service runs. */
export const clearHome = ({ readyFile, variablesFile }: Home): void => {
  rmSync(readyFile, { force: true });
  rmSync(variablesFile, { force: true });
};

/** The directories of the services that run in this checkout, that of the usual one first. */
export const homesInUse = (root = usualDirectory): Home[] => {
  if (!existsSync(root)) return [];
  const withClock = join(root, basename(clockDirectory));
  return [root, withClock]
    .flatMap((one) => [one, ...numbered(one)])
    .filter((directory) => existsSync(lockIn(directory)) && isTaken(lockIn(directory)))
    .map(homeAt);
};

/** The directories within it that are named after ports. */
const numbered = (directory: string): string[] =>
  existsSync(directory)
    ? readdirSync(directory)
        .filter((name) => /^\d+$/.test(name))
        .map((name) => join(directory, name))
    : [];

const isTaken = (lock: string): boolean => {
  if (!takeLock(lock)) return true;
  releaseLock(lock);
  return false;
};

const makeDirectory = (directory: string): void => {
  try {
    makePrivateDirectory(directory);
  } catch (error) {
    throw new CliError(`${directory} can't be made: ${(error as Error).message}`);
  }
};
