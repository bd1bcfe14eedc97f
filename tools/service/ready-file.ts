import { mkdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError, replaceFile } from '@leads-and-stars/runner';
import { fetchApi } from '../cli/fetch-api.ts';
import type { DemoOrganization } from './demo-organization.ts';

/** What a service writes down once it serves. */
export interface Ready {
  base_url: string;
  dynamodb_endpoint: string;
  lambda_endpoint: string;
  events_endpoint: string;
  event_bus_name: string | undefined;
  stripe_event_bus_name: string | undefined;
  table_name: string;
  issuer: string;
  /** The file with the key that signs the issuer's tokens. */
  issuer_file: string;
  organizations: DemoOrganization[];
  /** The demo's platform key. */
  platform_key: string | undefined;
  /** An API key of the demo's first organization. */
  api_key: string | undefined;
  outsider_token: string;
  /** How far a clock of its own is ahead of the machine's. */
  clock: { ahead_ms: number } | undefined;
}

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

/** What a ready file says; undefined where there is none, or something else. */
export const readReadyFile = async (file: string): Promise<Partial<Ready> | undefined> => {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
};

/** Longer than a gateway takes for what it answers by itself, on the slowest machine. */
const attemptTimeoutMs = 10_000;

/** Asks for a route that there is not. By now another program may have its port. */
export const serves = (baseUrl: string): Promise<boolean> =>
  fetchApi(baseUrl, { method: 'HEAD', signal: AbortSignal.timeout(attemptTimeoutMs) }).then(
    ({ headers }) => headers.has('x-request-id'),
    () => false,
  );
