import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError } from '@leads-and-stars/runner';
import { Command, Option } from 'commander';
import { changeTypes } from '../../lib/changes/change.ts';
import { runUntilStopped } from '../cli/run.ts';
import { wholeNumber } from '../cli/whole-number.ts';
import type { Ready } from '../service/ready-file.ts';
import { runningService, withWanted } from '../service/running-service.ts';
import { type ApiCall, apiOf } from './api.ts';
import { WebhookListener } from './listener.ts';

interface ListenOptions {
  organization?: string;
  port?: number;
  listenPort: number;
  type?: string[];
  after?: number;
  json: boolean;
  readyFile?: string;
}

const program = new Command('npm run webhooks --').description(
  'Webhooks of the service that npm run dev runs.',
);

withWanted(program.command('listen'))
  .description(
    'Makes a webhook to a port of this machine, and prints what is delivered, until it is stopped.',
  )
  .option('--organization <id>', 'whose changes (the first of the demo unless told)')
  .option('--listen-port <n>', 'where to listen, 0 for a free one', wholeNumber(0, 65_535), 0)
  .addOption(new Option('--type <types...>', 'only changes of these types').choices(changeTypes))
  .option(
    '--after <sequence>',
    'begin after this change, 0 for the first (at the end unless told)',
    wholeNumber(0, Number.MAX_SAFE_INTEGER),
  )
  .option('--json', 'print each message whole, as a line of JSON', false)
  .action((options: ListenOptions) => runUntilStopped(() => start(options)));

const organizationOf = ({ organizations = [] }: Partial<Ready>, wanted: string | undefined) => {
  const found = wanted
    ? organizations.find(({ organization_id }) => organization_id === wanted.toLowerCase())
    : organizations[0];
  if (!found) throw new CliError('The service has no such organization in its ready file.');
  return found;
};

const start = async (options: ListenOptions) => {
  const ready = await runningService(options);
  const { organization_id, tokens } = organizationOf(ready, options.organization);
  const api: ApiCall = apiOf(ready.base_url ?? '', organization_id, tokens.owner);
  const listener = new WebhookListener((line) => console.log(line), options.json);
  const server = createServer((request, response) => void listener.take(request, response));
  await new Promise<void>((resolve, reject) => {
    server.on('error', () =>
      reject(new CliError(`Port ${options.listenPort} can't be listened on: give another one.`)),
    );
    server.listen(options.listenPort, 'localhost', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const { id, secret } = await api('POST', '/webhooks', {
    url: `http://localhost:${port}/`,
    types: options.type,
    after: options.after,
    description: 'npm run webhooks -- listen',
  });
  listener.secret = secret;
  console.error(
    `Listening on http://localhost:${port}/ (Ctrl-C stops it, and deletes the webhook)`,
  );
  return {
    close: async () => {
      await api('DELETE', `/webhooks/${id}`);
      server.closeAllConnections();
      server.close();
    },
  };
};

await program.parseAsync();
