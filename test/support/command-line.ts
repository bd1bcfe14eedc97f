import { execFile } from 'node:child_process';

/** What any program is given here: where to find itself, and what Node.js has compiled of it before. */
export const given = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};

/** How a command line ended, and what it said. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a script in a directory, with just these arguments and variables. */
export const runScript = (
  script: string,
  args: readonly string[],
  { cwd, variables }: { cwd: string; variables: Record<string, string> },
): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { ...given, HOME: cwd, ...variables };
    execFile(process.execPath, [script, ...args], { cwd, env }, (error, stdout, stderr) =>
      // One that a signal ended has no code.
      resolve({ code: error ? Number(error.code ?? Number.NaN) : 0, stdout, stderr }),
    );
  });
