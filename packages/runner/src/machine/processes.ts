import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * The processes that the runner started. None of them outlives it, not even if it is killed. What is started once they
 * are closed ends at once.
 */
export class Processes {
  readonly #children = new Set<ChildProcess>();
  /** The reaper is there before anything is started, so that it is told of that at once. */
  readonly #reaper = startReaper();
  #closed = false;

  /** Takes charge of a process until it ends. */
  adopt<C extends ChildProcess>(child: C): C {
    this.#children.add(child);
    this.#tell(`+${child.pid}`);
    child.once('exit', () => {
      this.#children.delete(child);
      this.#tell(`-${child.pid}`);
    });
    if (this.#closed) child.kill('SIGKILL');
    return child;
  }

  /** Ends all processes, politely first. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#children].map((child) => stop(child)));
    this.#reaper.stdin.end();
    if (this.#reaper.exitCode === null) await once(this.#reaper, 'exit');
  }

  #tell(line: string): void {
    if (this.#reaper.stdin.writable) this.#reaper.stdin.write(`${line}\n`);
  }
}

const startReaper = () =>
  spawn(process.execPath, [join(import.meta.dirname, 'reaper.ts')], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });

const killAfterMs = 2000;

/** Asks a process to end, and kills it if it does not. */
export const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await ended;
  clearTimeout(timer);
};
