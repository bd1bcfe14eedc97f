import { Command } from 'commander';
import { failure } from '../admin/failure.ts';
import { printable } from '../cli/terminal-text.ts';
import { wholeNumber } from '../cli/whole-number.ts';
import { withWanted } from '../service/running-service.ts';
import { accountChecks } from './account.ts';
import { backendChecks } from './backend.ts';
import { browserChecks } from './browsers.ts';
import { changeChecks, listenerChecks } from './changes.ts';
import { runChecks } from './check.ts';
import { CleanUp } from './clean-up.ts';
import { gatewayChecks } from './gateway.ts';
import { leadChecks } from './lead.ts';
import { loginChecks } from './login.ts';
import { openSmokeTarget, type SmokeOptions } from './open-target.ts';
import { operationChecks } from './operations.ts';
import { starChecks } from './stars.ts';
import { deliveryChecks, webhookChecks } from './webhook.ts';

const program = withWanted(new Command('npm run smoke --'))
  .description(
    'Tries a deployed service in a minute or two, and says what differs from what the tests saw here: what only AWS ' +
      'can show. Without --stack, it tries the service that npm run dev runs.',
  )
  .option(
    '--stack <name>',
    'a deployed stack, with credentials and region from where the AWS SDK finds them',
  )
  .option('--events-file <file>', 'the one that npm run dev was given')
  .option(
    '--wait <seconds>',
    'for an answer, and for what comes later, each time',
    wholeNumber(1, 600),
    60,
  )
  .addHelpText(
    'after',
    `
Variables:
  LEADS_TOKEN   an id_token of any user, with --stack and an issuer of your own

In the organization “Smoke test”, which it makes once, it makes a lead, stars and a webhook, and waits for
what the service tells of them. What it makes for that it removes, also when it fails or is stopped: a platform
key, a user who logs in, and a rule and a queue that listen to the bus. Histories of lead and wallet stay.

It ends with 1 where something differs. What it warns of is no failure.

Examples:
  npm run smoke
  npm run smoke -- --stack LeadsAndStars`,
  );

const cleanUp = new CleanUp();
const stop = new AbortController();
/** The check under way may still make something, so it ends by itself: its next request is not sent. */
const stopRun = () => stop.abort(new Error('It was stopped.'));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stopRun);
// Who reads the output may have gone.
for (const output of [process.stdout, process.stderr]) output.on('error', stopRun);

const run = async (options: SmokeOptions): Promise<void> => {
  try {
    const target = await openSmokeTarget(options, { cleanUp, stopped: stop.signal });
    const checks = [
      // Long before there is something to hear: a rule that is new hears nothing at first.
      ...listenerChecks,
      ...accountChecks,
      ...gatewayChecks,
      ...browserChecks,
      ...loginChecks,
      ...backendChecks,
      ...operationChecks,
      ...webhookChecks,
      ...leadChecks,
      ...starChecks,
      ...changeChecks,
      ...deliveryChecks,
    ];
    console.log(`Trying ${target.baseUrl}\n`);
    const differ = await runChecks(checks, target, (line) => console.log(printable(line)));
    if (differ > 0 || stop.signal.aborted) process.exitCode = 1;
  } finally {
    await cleanUp.run();
  }
};

try {
  await program.action(run).parseAsync();
} catch (error) {
  console.error(failure(error));
  process.exitCode = 1;
}
