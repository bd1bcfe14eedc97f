import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { failure } from '../admin/failure.ts';
import { loggedError } from './log-line.ts';
import { sourceStack } from './source-stack.ts';

const program = new Command('npm run --silent unminify --')
  .description(
    'Reads a log line of a function, and names the source files and lines of its stack. ' +
      'Check out the version that is deployed before.',
  )
  .argument('[operation]', 'whose stack it is, if the input is a stack alone')
  .addHelpText(
    'after',
    `
Examples:
  npm run --silent unminify < line.json
  npm run --silent unminify -- createLead < stack.txt`,
  )
  .action(async (operation: string | undefined) => {
    const { operationId, stack } = loggedError(await text(process.stdin), operation);
    console.log(await sourceStack(stack, operationId));
  });

try {
  await program.parseAsync();
} catch (error) {
  console.error(failure(error));
  process.exitCode = 1;
}
