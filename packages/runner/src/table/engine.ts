import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { CliError } from '../machine/cli-error.ts';
import { freePort } from '../machine/free-port.ts';
import { makePrivate } from '../machine/private-file.ts';
import type { Processes } from '../machine/processes.ts';
import { fileInMemory, forgetFile, indexStream } from './database.ts';
import { adminClient } from './table.ts';

export type Storage = { file: string } | { endpoint: string } | 'memory';

/**
 * Starts dynoxide, the local engine, or takes the one at the endpoint, and returns its address when it answers.
 */
export const startEngine = async (processes: Processes, storage: Storage): Promise<string> => {
  if (typeof storage === 'object' && 'endpoint' in storage) {
    await waitForEngine(storage.endpoint, 3000);
    return storage.endpoint;
  }
  const file = storage === 'memory' ? undefined : storage.file;
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOwn(processes, file);
    } catch (error) {
      // Another program took the port between its being found free and the engine's start.
      const taken = /already in use/.test((error as Error).message);
      if (!taken || attempt === portAttempts) throw error;
    }
  }
};

const portAttempts = 3;

/** An engine that ends instead is told at once. */
const startsWithinMs = 60_000;

const startOwn = async (processes: Processes, file: string | undefined): Promise<string> => {
  const { endpoint, start, onAnswer, forget } = await prepare(file);
  const child = processes.adopt(start());
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-2000);
  });
  const ended = once(child, 'exit').then(
    () => {
      const where = file
        ? ` with the database ${file}: move the file away, or give another --db`
        : '';
      throw new CliError(`The local engine does not start${where}.\n${output.trim()}`);
    },
    // Not even spawned.
    (error) => {
      throw new CliError(`${missing} (${error.message})`);
    },
  );
  try {
    await Promise.race([waitForEngine(endpoint, startsWithinMs), ended]);
    onAnswer?.();
  } finally {
    forget?.();
  }
  ended.catch(() => {});
  return endpoint;
};

const missing =
  'There is no engine for this machine: give --dynamodb-endpoint, or work on Linux, macOS or Windows on x64, and run npm ci.';

const dynoxidePath = (): string | undefined => {
  const program = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
  const platform = `${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${platform}/${program}`);
  } catch {
    return undefined;
  }
};

/** An engine that has its place, but does not run yet. */
interface Prepared {
  endpoint: string;
  start: () => ChildProcess;
  /** To be called once it answers. */
  onAnswer?: () => void;
  /** To be called after that, or once it does not start. */
  forget?: () => void;
}

const prepare = async (file: string | undefined): Promise<Prepared> => {
  const path = dynoxidePath();
  if (!path) throw new CliError(missing);
  if (file) makeDatabase(file, () => [file, ...besides(file)].forEach(makePrivate));
  const port = await freePort();
  const args = ['serve', '--host', '127.0.0.1', '--port', String(port)];
  const inMemory = file ? undefined : fileInMemory();
  const database = file ?? inMemory;
  if (database) args.push('--db-path', database);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    start: () =>
      spawn(path, args, {
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      }),
    ...(database && { onAnswer: () => indexStream(database) }),
    ...(inMemory && { forget: () => forgetFile(inMemory) }),
  };
};

/** What SQLite may have left beside a database. What it makes anew is as private as the database. */
const besides = (file: string) => [`${file}-wal`, `${file}-shm`].filter((one) => existsSync(one));

/** Makes what a database needs in its directory, and the directory if there is none. */
const makeDatabase = <T>(file: string, make: () => T): T => {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return make();
  } catch (error) {
    throw new CliError(`No database can be kept at --db ${file}: ${(error as Error).message}`);
  }
};

/** One that takes a request and does not answer is asked again. */
const attemptTimeoutMs = 1000;

const waitForEngine = async (endpoint: string, timeoutMs: number): Promise<void> => {
  const client = adminClient(endpoint);
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      const abortSignal = AbortSignal.timeout(attemptTimeoutMs);
      await client.send(new ListTablesCommand({ Limit: 1 }), { abortSignal });
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        throw new CliError(
          `No DynamoDB engine answers at ${endpoint}: ${(error as Error).message}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
};
