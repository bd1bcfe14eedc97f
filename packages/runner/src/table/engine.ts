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
import { indexStream, pathInMemory, unlinkFile } from './database.ts';
import { adminClient } from './table.ts';

/** A database of the runner's own, an engine of someone else's, or memory. */
export type Storage = { file: string } | { endpoint: string; stateFile?: string } | 'memory';

/** Starts dynoxide, which stands for DynamoDB here, or takes the engine at the endpoint. Returns its address once it answers. */
export const startEngine = async (processes: Processes, storage: Storage): Promise<string> => {
  if (typeof storage === 'object' && 'endpoint' in storage) {
    await waitForEngine(storage.endpoint, 3000);
    return storage.endpoint;
  }
  const file = storage === 'memory' ? undefined : storage.file;
  for (let attempt = 1; ; attempt++) {
    try {
      return await startDynoxide(processes, file);
    } catch (error) {
      // A program may take the free port before the engine does.
      const portIsTaken = /already in use/.test((error as Error).message);
      if (!portIsTaken || attempt === portAttempts) throw error;
    }
  }
};

const portAttempts = 3;

/** If the engine exits instead, the error comes at once. */
const startTimeoutMs = 60_000;

const startDynoxide = async (processes: Processes, file: string | undefined): Promise<string> => {
  const { endpoint, start, onAnswer, unlink } = await prepare(file);
  const child = processes.adopt(start());
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-2000);
  });
  const ended = once(child, 'exit').then(
    () => {
      const where = file ? ` with the database ${file}: move the file away` : '';
      throw new CliError(`The local engine does not start${where}.\n${output.trim()}`);
    },
    // The program could not be started at all.
    (error) => {
      throw new CliError(`${noEngineMessage} (${error.message})`);
    },
  );
  try {
    await Promise.race([waitForEngine(endpoint, startTimeoutMs), ended]);
    onAnswer?.();
  } finally {
    unlink?.();
  }
  ended.catch(() => {});
  return endpoint;
};

const noEngineMessage =
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

/** An engine that has a port and a place for its data, but does not run yet. */
interface PreparedEngine {
  endpoint: string;
  start: () => ChildProcess;
  /** To be called once the engine answers: makes the index that it lacks. */
  onAnswer?: () => void;
  /** To be called after `onAnswer`, or if the engine does not start: unlinks a database in memory. */
  unlink?: () => void;
}

const prepare = async (file: string | undefined): Promise<PreparedEngine> => {
  const path = dynoxidePath();
  if (!path) throw new CliError(noEngineMessage);
  if (file) makeDatabase(file, () => [file, ...sqliteFilesOf(file)].forEach(makePrivate));
  const port = await freePort();
  const args = ['serve', '--host', '127.0.0.1', '--port', String(port)];
  const inMemory = file ? undefined : pathInMemory();
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
    ...(inMemory && { unlink: () => unlinkFile(inMemory) }),
  };
};

/** The files that SQLite may have left beside a database. Those that it makes later get the database's own mode. */
const sqliteFilesOf = (file: string) =>
  [`${file}-wal`, `${file}-shm`].filter((one) => existsSync(one));

/** Makes the database's directory if there is none, and calls `make`. Turns what fails into a message. */
const makeDatabase = <T>(file: string, make: () => T): T => {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return make();
  } catch (error) {
    throw new CliError(`No database can be kept at ${file}: ${(error as Error).message}`);
  }
};

/** An engine that accepts a request but does not answer within this time is asked again. */
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
