import { execFile } from 'node:child_process';

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
    const env = { PATH: process.env.PATH, HOME: cwd, ...variables };
    execFile(process.execPath, [script, ...args], { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
