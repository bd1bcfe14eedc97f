import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Mood, Order, Received } from './receiver-process.ts';

/** A receiver of webhooks, in a process of its own until the test ends. */
export class Receiver {
  readonly received: Received[] = [];
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://localhost:${port}/hooks`;
    child.on('message', (said: object) => {
      if ('id' in said) this.received.push(said as Received);
    });
  }

  static async start(): Promise<Receiver> {
    const child = fork(join(import.meta.dirname, 'receiver-process.ts'));
    onTestFinished(() => void child.kill());
    const [{ port }] = await once(child, 'message');
    return new Receiver(child, port);
  }

  /** From now on it answers so. */
  answers(mood: Mood, headers: Record<string, string> = {}): Promise<void> {
    return this.#order({ mood, headers });
  }

  down(): Promise<void> {
    return this.#order({ listening: false });
  }

  up(): Promise<void> {
    return this.#order({ listening: true });
  }

  /** The changes and tests that came, in their order. */
  // biome-ignore lint/suspicious/noExplicitAny: changes of every type.
  get bodies(): any[] {
    return this.received.map(({ body }) => JSON.parse(body));
  }

  #order(order: Order): Promise<void> {
    const done = new Promise<void>((resolve) => {
      const listener = (said: object) => {
        if ('id' in said) return;
        this.#child.off('message', listener);
        resolve();
      };
      this.#child.on('message', listener);
    });
    this.#child.send(order);
    return done;
  }
}
