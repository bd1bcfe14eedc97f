import { Command } from 'commander';
import { portOption, readyFileOption } from '../dev/service-options.ts';
import { changes } from './changes.ts';
import { failure } from './failure.ts';
import { key } from './key.ts';
import { member } from './member.ts';
import { organization } from './organization.ts';
import { plan } from './plan.ts';
import { lead, search } from './search.ts';
import { wallet } from './wallet.ts';

// The administrator's command line. Whoever may use the table in AWS may use this. It checks no permissions of its
// own.

const program = new Command('npm run admin --')
  .description('Administers the service that runs on this machine, or a deployed one.')
  .option('--stack <name>', 'a deployed stack, with credentials from where the AWS SDK finds them')
  .option('--profile <name>', 'the AWS profile to use, with --stack')
  .option('--region <region>', 'the AWS region of the stack, with --stack')
  .option(...portOption)
  .option(...readyFileOption)
  .option('--json', 'print JSON and nothing else, for scripts (with npm run --silent)')
  .addCommand(organization)
  .addCommand(member)
  .addCommand(key)
  .addCommand(lead)
  .addCommand(search)
  .addCommand(plan)
  .addCommand(wallet)
  .addCommand(changes);

program.configureHelp({ showGlobalOptions: true });
for (const noun of program.commands) {
  noun.configureHelp({ showGlobalOptions: true });
  for (const verb of noun.commands) verb.configureHelp({ showGlobalOptions: true });
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(failure(error));
  process.exitCode = 1;
}
