import { Command, CommanderError } from 'commander';
import { withWanted } from '../service/running-service.ts';
import { changes } from './changes.ts';
import { failure } from './failure.ts';
import { key } from './key.ts';
import { member } from './member.ts';
import { organization } from './organization.ts';
import type { NotFoundError, WrongError } from './outcomes.ts';
import { takeOver } from './take-over.ts';
import { wallet } from './wallet.ts';

export const program = withWanted(new Command('npm run admin --'))
  .description('Administers the service that runs on this machine, or a deployed one.')
  .option(
    '--stack <name>',
    'a deployed stack, with credentials and region from where the AWS SDK finds them',
  )
  .option('--json', 'failures as JSON, too: 1 it failed, 2 it is not there, 3 it is wrong')
  .addCommand(organization)
  .addCommand(member)
  .addCommand(key)
  .addCommand(wallet)
  .addCommand(changes)
  .addCommand(takeOver);

const verbs = program.commands.flatMap((noun) => [noun, ...noun.commands]);
for (const command of [program, ...verbs]) {
  command
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => console.log(text.trimEnd()),
      writeErr: (text) => console.error(text.trimEnd()),
      // `runAdmin` tells errors, in JSON too.
      outputError: () => undefined,
    })
    .exitOverride();
}

/** Runs a command and prints what it says. The exit code of its process. */
export const runAdmin = async (args: readonly string[]): Promise<number> => {
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.code.startsWith('commander.help')) {
      return error.exitCode;
    }
    const message = error instanceof CommanderError ? error.message.trimEnd() : failure(error);
    const { exitCode = 1 } = error as Partial<NotFoundError | WrongError>;
    console.error(
      args.includes('--json')
        ? JSON.stringify({ error: { message, exit_code: exitCode } })
        : message,
    );
    return exitCode;
  }
};
