import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import type { Ran } from '../../support/command-line.ts';

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
  const said = { stdout: '', stderr: '' };
  let code: number | undefined;
  const write = (name: keyof typeof said, text: string) => {
    if (code === undefined) said[name] += text;
  };
  const output = (name: keyof typeof said) =>
    new Writable({
      write: (chunk, _encoding, done) => {
        write(name, String(chunk));
        done();
      },
    });
  const own = {
    argv: [process.execPath, script, ...args],
    env: { ...variables },
    stdin: Readable.from([]),
    stdout: output('stdout'),
    stderr: output('stderr'),
    exit: (asked = 0) => {
      code ??= Number(asked);
      throw new Exit();
    },
  };
  const restoreProcess = replaceIn(process, own);
  const restoreConsole = replaceIn(console, {
    log: (...parts: unknown[]) => write('stdout', `${format(...parts)}\n`),
    error: (...parts: unknown[]) => write('stderr', `${format(...parts)}\n`),
  });
  const before = { directory: process.cwd(), exitCode: process.exitCode };
  process.exitCode = undefined;
  try {
    process.chdir(cwd);
    // Another address has it run again.
    await import(`${pathToFileURL(script).href}?${++count}`);
    return { code: code ?? Number(process.exitCode ?? 0), ...said };
  } finally {
    process.chdir(before.directory);
    process.exitCode = before.exitCode;
    restoreConsole();
    restoreProcess();
  }
};

/** Gives an object other properties; the returned function gives it its own again. */
const replaceIn = (object: object, properties: object): (() => void) => {
  const names = Object.keys(properties);
  const own = names.map((name) => [name, Object.getOwnPropertyDescriptor(object, name)] as const);
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(object, name, { value, configurable: true, writable: true });
  }
  return () => {
    for (const [name, descriptor] of own) {
      if (descriptor) Object.defineProperty(object, name, descriptor);
      else delete (object as Record<string, unknown>)[name];
    }
  };
};
