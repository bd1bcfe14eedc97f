import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import { runToEnd } from '../../tools/cli/run.ts';
import { useClient } from './client-use.ts';
import { whileServing } from './dev.ts';

const [node = ''] = new Command('npm run systems:client --')
  .description('packs the client, installs it in an empty directory, and uses it there')
  .argument('<node>', 'path of a Node.js, another than that of the project')
  .parse().args;

const npm = (cwd: string, ...args: string[]): void => {
  execFileSync('npm', [...args, '--silent'], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
};

/** Where it is installed, as a user of it does. */
const installClient = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'packed-client-'));
  npm(join(import.meta.dirname, '../../packages/client'), 'pack', '--pack-destination', directory);
  const [file = ''] = readdirSync(directory);
  npm(directory, 'install', '--no-audit', '--no-fund', `./${file}`);
  return directory;
};

await runToEnd(async () => {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  if (version === process.version) throw new CliError(`${node} is the project's own Node.js.`);
  const directory = installClient();
  try {
    await whileServing(['--port', '0', '--memory'], ({ base_url, organizations: [one] }) =>
      useClient(node, directory, {
        baseUrl: base_url,
        organization: one!.organization_id,
        pipeline: one!.pipeline_id,
        token: one!.tokens.owner,
      }),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
  console.log(`The packed client and its command line run on Node.js ${version}.`);
});
