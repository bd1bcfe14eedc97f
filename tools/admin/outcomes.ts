import { createInterface } from 'node:readline/promises';
import { CliError } from '@leads-and-stars/runner';

/** What a command was to look at is not there: the process ends with 2. */
export class NotFoundError extends CliError {
  readonly exitCode = 2;
}

/** What a command has looked at is wrong, and it has done all that it was to do: the process ends with 3. */
export class WrongError extends CliError {
  readonly exitCode = 3;
}

/** Asks whoever sits at the terminal before something is destroyed; elsewhere `--yes` has to say it. Throws a `CliError`. */
export const confirm = async (what: string, { yes = false }: { yes?: boolean }): Promise<void> => {
  if (yes) return;
  if (!process.stdin.isTTY) throw new CliError(`${what} Give --yes to do that.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${what} Type yes to do that: `);
  terminal.close();
  if (answer.trim() !== 'yes') throw new CliError('Nothing was done.');
};
