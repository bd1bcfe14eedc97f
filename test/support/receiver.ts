import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Mood, Order, Received } from './receiver-process.ts';

/** A receiver of webhooks, in a process of its own. */
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

  /** Until `close` is called. */
  static async open(): Promise<Receiver> {
    const child = fork(join(import.meta.dirname, 'receiver-process.ts'));
    const [{ port }] = await once(child, 'message');
    return new Receiver(child, port);
  }

  /** Until the test ends. */
  static async start(): Promise<Receiver> {
    const receiver = await Receiver.open();
    onTestFinished(() => receiver.close());
    return receiver;
  }

  close(): void {
    this.#child.kill();
  }

  /** From now on it answers so. */
  answers(mood: Mood, headers: Record<string, string> = {}): Promise<void> {
    return this.#order({ mood, headers });
  }

  down(): Promise<void> {
    return this.#order('down');
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
