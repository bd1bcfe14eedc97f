import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { adminClient, CliError, guarded, portInUse } from '@leads-and-stars/runner';
import { createServer } from 'dynamodb-admin';
import { runUntilStopped } from '../cli/run.ts';
import { readReadyFile, readyFile } from './ready-file.ts';

const usage = `npm run table -- [options]

Shows the data of the service that npm run dev runs, in a browser, to see and to change.

  --port N            port on this machine, 0 for a free one (default 8001)
  --ready-file FILE   what npm run dev has written (default .local/service.json)
  --help              show this`;

const options = () => {
  try {
    return parseArgs({
      options: {
        port: { type: 'string', default: '8001' },
        'ready-file': { type: 'string', default: readyFile },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new CliError(`${(error as Error).message}\n\n${usage}`);
  }
};

/** The engine of the running service. A file that a killed one has left names none that answers. */
const runningEngine = async (file: string) => {
  const { dynamodb_endpoint, table_name } = (await readReadyFile(file)) ?? {};
  const notRunning = new CliError(`The service does not run (${file}): start it with npm run dev.`);
  if (!dynamodb_endpoint) throw notRunning;
  const client = adminClient(dynamodb_endpoint);
  await client.send(new ListTablesCommand()).catch(() => {
    throw notRunning;
  });
  return { client, table_name };
};

await runUntilStopped(async () => {
  const values = options();
  if (values.help) {
    console.log(usage);
    return undefined;
  }
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new CliError('--port takes a whole number from 0 to 65535.');
  }
  const { client, table_name } = await runningEngine(values['ready-file']);
  const app = createServer({ dynamoDbClient: client });
  const server = createHttpServer(guarded(app)).listen(port, '127.0.0.1');
  await once(server, 'listening').catch(portInUse(port));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  console.log(`The table: ${address}/tables/${table_name} (Ctrl-C stops it)`);
  return {
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
});
