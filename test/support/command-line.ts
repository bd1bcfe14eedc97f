import { type ChildProcess, spawn } from 'node:child_process';

/** What any program is given here: where to find itself, and what Node.js has compiled of it before. */
export const given = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};

/** How a command line ended, and what it said. One that a signal ended has no code. */
export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Surroundings {
  cwd: string;
  variables?: Record<string, string>;
  input?: string;
}

/** Begins a script in a directory, with just these arguments and variables; `said` is what it has said so far. */
export const startScript = (
  script: string,
  args: readonly string[],
  { cwd, variables, input = '' }: Surroundings,
): { process: ChildProcess; said: Omit<Ran, 'code'>; ended: Promise<Ran> } => {
  const env = { ...given, HOME: cwd, ...variables };
  const child = spawn(process.execPath, [script, ...args], { cwd, env });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] += text;
    });
  }
  child.stdin.on('error', () => {}).end(input);
  const ended = new Promise<Ran>((resolve) => {
    child.on('close', (code) => resolve({ code, ...said }));
  });
  return { process: child, said, ended };
};

export const runScript = (...told: Parameters<typeof startScript>): Promise<Ran> =>
  startScript(...told).ended;
