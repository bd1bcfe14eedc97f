import { Command } from 'commander';
import { failure } from '../admin/failure.ts';
import { printable } from '../cli/terminal-text.ts';
import { portOption, readyFileOption } from '../dev/service-options.ts';
import { behindChecks } from './backend.ts';
import { browserChecks } from './browsers.ts';
import { runChecks } from './check.ts';
import { deployedApiChecks } from './deployed-api.ts';
import { gatewayChecks } from './gateway.ts';
import { leadChecks } from './lead.ts';
import { platformChecks } from './platform.ts';
import { type Options, openTarget, type Target } from './target.ts';

const program = new Command('npm run smoke --')
  .description(
    'Tries a deployed service in a minute, and says what differs from what the tests saw here: what only AWS ' +
      'can show. Without --stack, it tries the service that npm run dev runs.',
  )
  .option('--stack <name>', 'a deployed stack, with credentials from where the AWS SDK finds them')
  .option('--profile <name>', 'the AWS profile to use, with --stack')
  .option('--region <region>', 'the AWS region of the stack, with --stack')
  .option('--organization <id>', 'an organization to make a lead in, and delete it, with --stack')
  .option(...portOption)
  .option(...readyFileOption)
  .option('--events-file <file>', 'the one that npm run dev was given')
  .addHelpText(
    'after',
    `
Variables:
  LEADS_TOKEN   an id_token of a member of that organization who may write leads
  PLATFORM_KEY  a platform key of the role platform, with --stack

With an organization and a token, a lead is made, read and deleted, and its events are listened to by a rule
and a queue, which are deleted at the end. Its history stays.

With a platform key, an organization “Smoke test” is made, and its one star spent: once in a deployment.

Examples:
  npm run smoke
  npm run smoke -- --stack LeadsAndStars --profile crm --region eu-west-1
  LEADS_TOKEN=$TOKEN npm run smoke -- --stack LeadsAndStars --organization $ORGANIZATION`,
  );

let opening: Promise<Target> | undefined;
/** Deletes what was made for listening, however this ends. */
const close = async () => (await opening?.catch(() => undefined))?.listener?.close();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void close().finally(() => process.exit(1)));
}

const run = async (options: Options): Promise<void> => {
  opening = openTarget(options);
  const target = await opening;
  const checks = [
    ...behindChecks,
    ...deployedApiChecks,
    ...gatewayChecks,
    ...browserChecks,
    ...platformChecks,
    ...leadChecks(),
  ];
  try {
    console.log(`Trying ${target.baseUrl}\n`);
    const differ = await runChecks(checks, target, (line) => console.log(printable(line)));
    if (differ > 0) process.exitCode = 1;
  } finally {
    await close();
  }
};

try {
  await program.action(run).parseAsync();
} catch (error) {
  console.error(failure(error));
  process.exitCode = 1;
}
