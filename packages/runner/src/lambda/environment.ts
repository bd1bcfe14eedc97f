import type { LocalFunction } from '../template/functions.ts';
import type { Invocation, LogLine, Outcome, RuntimeProcess, Work } from './runtime-process.ts';

/** Where the lines go that functions log: the runner's own output, an open file, or who takes each. */
export type LogTarget = 'inherit' | number | ((functionName: string, line: LogLine) => void);

interface EnvironmentOptions {
  sessionToken: string | undefined;
  /** Variables that the environment finds in `process.env`, where other environments share its process. */
  variables?: Record<string, string> | undefined;
  logs: LogTarget;
}

/** One execution environment of a function, in a process of its own or a shared process: it handles events one by one. */
export class Environment {
  readonly sessionToken: string | undefined;
  readonly #process: RuntimeProcess;
  readonly #timeoutMs: number;
  readonly #number: number;
  readonly #isAlone: boolean;
  /** Undefined once it is loaded; else why it never will be. */
  readonly #loaded: Promise<Invocation | undefined>;
  /** Whether its time was up while others shared its process: what it says then is heard by nobody. */
  #isLeft = false;
  /** Takes what it says next: that it is loaded, or what became of its event. */
  #heard: (said: Outcome) => void = () => {};

  constructor(runtime: RuntimeProcess, fn: LocalFunction, options: EnvironmentOptions) {
    const { sessionToken, variables, logs } = options;
    this.sessionToken = sessionToken;
    this.#process = runtime;
    this.#isAlone = !variables;
    this.#timeoutMs = fn.timeoutSeconds * 1000;
    this.#loaded = new Promise((resolve) => {
      this.#heard = (said) => resolve(said.kind === 'error' ? said : undefined);
    });
    const { code: directory, handler, timeoutSeconds } = fn;
    const loading = { directory, handler, timeoutSeconds, ...(variables && { variables }) };
    this.#number = runtime.load(loading, (said) => {
      if (said.kind !== 'log') this.#heard(said);
      else if (typeof logs === 'function') logs(fn.name, said.line);
    });
    void runtime.died.then((how) => this.#heard(how));
  }

  /** Whether the environment takes another event. */
  get alive(): boolean {
    return this.#process.alive && !this.#process.isRetired && !this.#isLeft;
  }

  /** Keeps its process until it is given back. */
  take(): void {
    this.#process.take();
  }

  giveBack(): void {
    this.#process.giveBack();
  }

  /**
   * Handles one event. A function that dies takes its process with it; so does a function that takes too long, if it has
   * a process of its own.
   */
  async handle(work: Work): Promise<Invocation> {
    const failure = await this.#loaded;
    if (failure) return failure;
    if (!this.#process.alive) return this.#process.died;
    return new Promise((resolve) => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        if (this.#isAlone) void this.kill();
        else this.#leave();
      }, this.#timeoutMs);
      this.#heard = (said) => {
        clearTimeout(timer);
        resolve(late ? this.#timedOut() : (said as Invocation));
      };
      this.#process.handle(this.#number, work);
    });
  }

  #leave(): void {
    this.#isLeft = true;
    void this.#process.killIfBlocked();
    this.#heard(this.#timedOut());
    this.#heard = () => {};
  }

  #timedOut(): Invocation {
    const errorMessage = `Task timed out after ${this.#timeoutMs / 1000} seconds`;
    return { kind: 'error', errorType: 'Sandbox.Timedout', errorMessage };
  }

  /** Ends the process in the middle of its work. */
  kill(): Promise<void> {
    return this.#process.kill();
  }

  /** Asks its process to end, where that is its own. */
  async stop(): Promise<void> {
    if (this.#isAlone) await this.#process.stop();
  }
}
