import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach } from 'vitest';
import type { Ready } from '../../../tools/service/ready-file.ts';
import { given } from '../../support/command-line.ts';
import { eventually, root } from './support.ts';

/** Longer than any test may take: on a slow machine all takes long, and the test's own limit ends what hangs. */
export const patienceSeconds = 600;

interface Options {
  /** A copy of the project, to run there. */
  project?: string;
  /** By default a directory of its own: what one run keeps is not for another. */
  cwd?: string;
  env?: Record<string, string>;
}

/** A command line in a process group of its own, as a terminal starts it. */
export class Command {
  /** Of this command alone: whatever process has it in its arguments or variables is its own. */
  readonly directory: string;
  readonly temporary: string;
  readonly readyFile: string;
  /** With its exit code, once all that it wrote was read. */
  readonly ended: Promise<number | null>;
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;

  constructor(
    command: (ready: string) => [string, ...string[]],
    { project, cwd = project, env }: Options = {},
  ) {
    this.directory = mkdtempSync(join(tmpdir(), 'runner-test-'));
    this.temporary = join(this.directory, 'tmp');
    this.readyFile = join(this.directory, 'ready.json');
    mkdirSync(this.temporary);
    const [file, ...args] = command(this.readyFile);
    this.#child = spawn(file, args, {
      cwd: cwd ?? this.directory,
      env: {
        ...given,
        HOME: process.env.HOME,
        // A copy of the project has one of its own, and leaves nothing in ours.
        NODE_COMPILE_CACHE: join(project ?? root, 'node_modules/.cache/node'),
        TMPDIR: this.temporary,
        ...env,
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk) => {
      this.stdout += chunk;
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.ended = once(this.#child, 'close').then(([code]) => code);
    started.push(this);
  }

  async ready(): Promise<Ready> {
    await eventually(
      'the command serves',
      () => {
        if (this.#child.exitCode !== null) throw new Error(`it ended: ${this.stderr}`);
        return existsSync(this.readyFile);
      },
      patienceSeconds,
    );
    return JSON.parse(readFileSync(this.readyFile, 'utf8'));
  }

  /** Sends a signal to the process alone, or to its group as Ctrl-C does. */
  kill(signal: NodeJS.Signals, to: 'process' | 'group' = 'process'): void {
    const pid = this.#child.pid!;
    process.kill(to === 'group' ? -pid : pid, signal);
  }

  /** Its own processes that run, wherever they are in the tree: ids and command lines. */
  processes(): { pid: number; command: string }[] {
    const read = (pid: string, file: string) => {
      try {
        return readFileSync(join('/proc', pid, file), 'utf8').replaceAll('\0', ' ');
      } catch {
        return ''; // It has ended meanwhile.
      }
    };
    if (!hasProcesses) return [];
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => ({ pid: Number(pid), command: read(pid, 'cmdline'), of: read(pid, 'environ') }))
      .filter(({ command, of }) => `${command} ${of}`.includes(this.directory))
      .map(({ pid, command }) => ({ pid, command }));
  }

  async gone(): Promise<void> {
    await eventually(
      'no process of its own is left',
      () => this.processes().length === 0,
      patienceSeconds,
    );
  }
}

const hasProcesses = existsSync('/proc');

const started: Command[] = [];

/** For a file whose tests start commands. Also one that fails leaves nothing. */
export const useCommands = (): void => {
  beforeEach((context) => {
    context.skip(!hasProcesses, 'There is no /proc here to look for processes in.');
  });
  afterAll(async () => {
    for (const command of started.splice(0)) {
      for (const { pid } of command.processes()) process.kill(pid, 'SIGKILL');
      await command.gone();
      rmSync(command.directory, { recursive: true });
    }
  });
};

/** `npm run dev`, without npm. */
export const dev = (args: string[], options: Options = {}): Command => {
  const script = join(options.project ?? root, 'tools/dev/dev.ts');
  return new Command(
    (ready) => [process.execPath, script, '--ready-file', ready, ...args],
    options,
  );
};

/** Calls the API of a run as a member of a demo organization. */
export const callAs = async (
  { base_url }: Ready,
  token: string,
  organizationId: string,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
): Promise<{ status: number; body: any }> => {
  const response = await fetch(`${base_url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${token}`,
      'x-organization-id': organizationId,
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
};
