import { mkdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError, makePrivateDirectory, replaceFile } from '@leads-and-stars/runner';
import { fetchApi } from '../cli/fetch-api.ts';
import type { DemoOrganization } from '../demo/organization.ts';

/** Where a running service is found by the tools beside it. */
export const readyFile = '.local/service.json';

/** Keeps the issuer's address and keys, so that tokens are good after a restart. */
export const issuerFile = '.local/issuer.json';

/** What a service writes down once it serves. */
export interface Ready {
  base_url: string;
  dynamodb_endpoint: string;
  lambda_endpoint: string;
  events_endpoint: string;
  event_bus_name: string | undefined;
  table_name: string;
  issuer: string;
  organizations: DemoOrganization[];
  /** Of the demo. */
  platform_key: string | undefined;
  outsider_token: string;
}

/** Makes the runner's own directory, that of the ready file, and keeps other users of the machine out of it. */
export const makeOwnDirectory = (): void => {
  const directory = dirname(readyFile);
  try {
    makePrivateDirectory(directory);
  } catch (error) {
    throw new CliError(`${directory} can't be made: ${(error as Error).message}`);
  }
};

/** Whoever waits for the file never sees half of it. */
export const writeReadyFile = (file: string, ready: Ready): void => {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    replaceFile(file, JSON.stringify(ready, null, 2));
  } catch (error) {
    throw new CliError(`The ready file can't be written: ${(error as Error).message}`);
  }
};

/** Whoever waits for the file does not find that of an earlier run. */
export const clearReadyFile = async (file: string): Promise<void> => {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    await rm(file, { force: true });
  } catch (error) {
    throw new CliError(`--ready-file ${file} can't be written: ${(error as Error).message}`);
  }
};

/** Removes what a service that was killed has left. The file of one that still answers stays; its base URL. */
export const clearLeftReadyFile = async (file: string): Promise<string | undefined> => {
  const { base_url } = (await readReadyFile(file)) ?? {};
  if (base_url !== undefined && (await answers(base_url))) return base_url;
  await rm(file, { force: true });
  return undefined;
};

/** Longer than a gateway takes for what it answers by itself. */
const attemptTimeoutMs = 1000;

/** Asks for a route that there is not. By now another program may have its port, or the service may hang. */
const answers = (baseUrl: string): Promise<boolean> =>
  fetchApi(baseUrl, { method: 'HEAD', signal: AbortSignal.timeout(attemptTimeoutMs) }).then(
    ({ headers }) => headers.has('x-request-id'),
    () => false,
  );

/** Writes where the tools look for a service, unless that is of another one; then that one's base URL. */
export const claimReadyFile = async (file: string, ready: Ready): Promise<string | undefined> => {
  const there = await clearLeftReadyFile(file);
  if (there !== undefined && there !== ready.base_url) return there;
  writeReadyFile(file, ready);
  return undefined;
};

/** Leaves the file of another service. */
export const removeReadyFile = async (file: string, baseUrl: string): Promise<void> => {
  const ready = await readReadyFile(file);
  if (ready?.base_url === baseUrl) await rm(file, { force: true });
};

/** Undefined where there is none, or something else. */
export const readReadyFile = async (file: string): Promise<Partial<Ready> | undefined> => {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
};
