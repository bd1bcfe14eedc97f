import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Ran } from '../../support/command-line.ts';
import { heard, replaceIn } from '../../support/heard.ts';

/** Where a command is run: its directory, and its variables. */
interface Surroundings {
  cwd: string;
  variables: Record<string, string>;
}

/** Ends a command that asks its process to exit. */
class Exit extends Error {}

let count = 0;
/** One runs at a time: each has the process's directory, variables and output. */
let turn: Promise<unknown> = Promise.resolve();

/** Runs a script of JavaScript in this process, as in one of its own: that takes a tenth of the time. */
export const runHere = (
  script: string,
  args: readonly string[],
  surroundings: Surroundings,
): Promise<Ran> => {
  const ran = turn.then(() => run(script, args, surroundings));
  turn = ran.catch(() => {});
  return ran;
};

const run = async (
  script: string,
  args: readonly string[],
  { cwd, variables }: Surroundings,
): Promise<Ran> => {
  let exited: Ran | undefined;
  const before = { directory: process.cwd(), exitCode: process.exitCode };
  let restore = () => {};
  try {
    process.exitCode = undefined;
    process.chdir(cwd);
    const said = await heard(async (said) => {
      restore = replaceIn(process, {
        argv: [process.execPath, script, ...args],
        env: { ...variables },
        stdin: Readable.from([]),
        exit: (code = 0) => {
          exited ??= { code: Number(code), ...said };
          throw new Exit();
        },
      });
      // Another address has it run again.
      await import(`${pathToFileURL(script).href}?${++count}`);
    });
    return exited ?? { code: Number(process.exitCode ?? 0), ...said };
  } finally {
    restore();
    process.chdir(before.directory);
    process.exitCode = before.exitCode;
  }
};
