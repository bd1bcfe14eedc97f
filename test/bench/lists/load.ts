import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { marshall } from '@aws-sdk/util-dynamodb';
import {
  freePort,
  type Processes,
  readAssembly,
  synthesize,
  type TableProperties,
} from '@leads-and-stars/runner';
import { defaultStackName } from '../../../infra/stack-name.ts';
import type { Item } from '../../../lib/table/table.ts';

const app = join(import.meta.dirname, '../../../infra/app.ts');

/**
 * Starts an engine that has these items, by its own import of a DynamoDB export: the same items one
 * BatchWriteItem after the other take several times as long. In memory; answers its address.
 */
export const startLoadedEngine = async (
  processes: Processes,
  items: Iterable<Item>,
): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-load-'));
  try {
    const table = await synthesizedTable(directory, processes);
    const source = join(directory, 'export');
    const data = join(source, table.TableName, 'data');
    await mkdir(data, { recursive: true });
    await pipeline(Readable.from(lines(items)), createWriteStream(join(data, '0.json')));
    const schema = join(directory, 'schema.json');
    await writeFile(schema, JSON.stringify({ Table: described(table) }));
    return await importAndServe(processes, source, schema);
  } finally {
    await rm(directory, { recursive: true });
  }
};

const synthesizedTable = async (
  directory: string,
  processes: Processes,
): Promise<TableProperties> => {
  const output = join(directory, 'cdk.out');
  const options = { issuer: 'https://localhost', audience: 'none' };
  const context = { 'runner:options': JSON.stringify(options) };
  await synthesize(app, output, context, processes);
  return (await readAssembly(output, defaultStackName)).table;
};

const atOnce = 1000;

function* lines(items: Iterable<Item>): Generator<string> {
  let chunk: string[] = [];
  for (const item of items) {
    chunk.push(JSON.stringify({ Item: marshall(item, { removeUndefinedValues: true }) }));
    if (chunk.length < atOnce) continue;
    yield `${chunk.join('\n')}\n`;
    chunk = [];
  }
  yield chunk.join('\n');
}

/** The table as DescribeTable has it. */
const described = (table: TableProperties) => ({
  TableName: table.TableName,
  KeySchema: table.KeySchema,
  AttributeDefinitions: table.AttributeDefinitions,
  GlobalSecondaryIndexes: table.GlobalSecondaryIndexes,
  StreamSpecification: { StreamEnabled: true, ...table.StreamSpecification },
});

const importAndServe = async (
  processes: Processes,
  source: string,
  schema: string,
): Promise<string> => {
  const path = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide');
  const port = await freePort();
  const options = ['--source', source, '--schema', schema, '--serve', '--port', String(port)];
  const child = processes.adopt(
    spawn(path, ['import', ...options], { stdio: ['ignore', 'ignore', 'pipe'], detached: true }),
  );
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      said += chunk;
      if (said.includes(' listening on ')) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`the engine did not take the leads: ${said}`)));
  });
  return `http://127.0.0.1:${port}`;
};
