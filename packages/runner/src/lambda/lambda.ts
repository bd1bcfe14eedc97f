import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { region } from '../account.ts';
import type { Clock } from '../clock/clock.ts';
import type { Processes } from '../machine/processes.ts';
import { accessKeyOf } from '../table/table-proxy.ts';
import type { LocalFunction } from '../template/functions.ts';
import { Environment, type LogTarget } from './environment.ts';
import { type Invocation, RuntimeProcess } from './runtime-process.ts';

export interface LambdaOptions {
  /** Where the functions find DynamoDB. */
  tableEndpoint: string;
  /** Where the functions find SQS. */
  queuesEndpoint?: string | undefined;
  /** Where the functions find EventBridge. */
  eventsEndpoint?: string | undefined;
  /** A file with the certificate that the functions trust beside the public ones. */
  certificateFile: string | undefined;
  /** What else they find in their environment. */
  variables?: Readonly<Record<string, string>> | undefined;
  /** Environments of one function at once; further events wait for one to be free. */
  environmentsPerFunction: number;
  /**
   * Whether functions share processes, one for each of `environmentsPerFunction`: they start in a moment, and code
   * that a function has used is fast for all. Whatever ends a process ends the work of all functions in it. By default each
   * function has its own.
   */
  sharesProcesses?: boolean | undefined;
  /** What a process may take: one that takes more ends when it is idle. By default it may take whatever Node.js does. */
  processMegabytes?: number | undefined;
  /** Whose time functions live at, if not the machine's. */
  clock?: Clock | undefined;
  logs: LogTarget;
}

/** Runs functions in environments of their own: more of them while more events are under way. */
export class Lambda {
  readonly #processes: Processes;
  readonly #options: LambdaOptions;
  readonly #pools = new Map<string, Pool>();
  /** Processes that functions share, by the place of an environment among its function's. */
  readonly #shared: RuntimeProcess[] = [];

  constructor(processes: Processes, options: LambdaOptions) {
    this.#processes = processes;
    this.#options = options;
  }

  invoke(fn: LocalFunction, event: unknown, requestId: string = randomUUID()): Promise<Invocation> {
    let pool = this.#pools.get(fn.logicalId);
    if (!pool) {
      const start = (place: number) => this.#start(fn, place);
      pool = new Pool(start, this.#options.environmentsPerFunction);
      this.#pools.set(fn.logicalId, pool);
    }
    return pool.use((environment) => environment.handle({ requestId, event }));
  }

  #start(fn: LocalFunction, place: number): Environment {
    const { logs, sharesProcesses } = this.#options;
    // In AWS, too, each environment has credentials of its own.
    const sessionToken = randomUUID();
    const variables = { ...variablesOf(fn, this.#options), AWS_SESSION_TOKEN: sessionToken };
    if (!sharesProcesses) {
      return new Environment(this.#startProcess(fn, variables), fn, { sessionToken, logs });
    }
    let shared = this.#shared[place];
    if (!shared?.alive || shared.isRetired) {
      shared = this.#startProcess(fn, variablesOfProcess(this.#options));
      this.#shared[place] = shared;
    }
    return new Environment(shared, fn, { sessionToken, variables, logs });
  }

  #startProcess(fn: LocalFunction, variables: Record<string, string>): RuntimeProcess {
    const { logs, processMegabytes, clock } = this.#options;
    const output = typeof logs === 'function' ? 'send' : logs;
    return new RuntimeProcess(this.#processes, {
      variables,
      directory: dirname(fn.code),
      output,
      mostMegabytes: processMegabytes,
      clock,
    });
  }

  /** Ends the environments of a function, as a machine that fails does: in the middle of their work. */
  async kill(fn: LocalFunction): Promise<void> {
    await this.#pools.get(fn.logicalId)?.kill();
  }

  /** Ends the environment that has this session token, which its requests to AWS carry. */
  async killSender(sessionToken: string): Promise<void> {
    for (const pool of this.#pools.values()) await pool.kill(sessionToken);
  }

  /** Ends the function's environments, each when it is done: in shared processes, those of all functions. The next ones start with its code of now. */
  renew(fn: LocalFunction): void {
    this.#pools.get(fn.logicalId)?.renew();
    for (const shared of this.#shared.splice(0)) shared?.retire();
  }
}

/** What Lambda gives a function: the template's variables and a few of its own, nothing of ours. */
const variablesOf = (fn: LocalFunction, options: LambdaOptions): Record<string, string> => ({
  ...fn.environment,
  ...options.variables,
  AWS_REGION: region,
  AWS_DEFAULT_REGION: region,
  AWS_LAMBDA_FUNCTION_NAME: fn.name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(fn.memoryMegabytes),
  AWS_ACCESS_KEY_ID: accessKeyOf(fn),
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_DYNAMODB: options.tableEndpoint,
  ...(options.queuesEndpoint && { AWS_ENDPOINT_URL_SQS: options.queuesEndpoint }),
  ...(options.eventsEndpoint && { AWS_ENDPOINT_URL_EVENTBRIDGE: options.eventsEndpoint }),
  ...variablesOfProcess(options),
});

/** What Node.js itself reads as it starts. */
const variablesOfProcess = ({ certificateFile }: LambdaOptions): Record<string, string> => ({
  ...(certificateFile && { NODE_EXTRA_CA_CERTS: certificateFile }),
  TZ: ':UTC',
});

class Pool {
  readonly #start: (place: number) => Environment;
  readonly #limit: number;
  readonly #idle: Environment[] = [];
  readonly #waiting: (() => void)[] = [];
  /** Each with its place: the first that was free. */
  readonly #all = new Map<Environment, number>();
  /** Environments that run the function's code of now. */
  #current = new WeakSet<Environment>();

  constructor(start: (place: number) => Environment, limit: number) {
    this.#start = start;
    this.#limit = limit;
  }

  /** All of them, or the one that has this session token. */
  async kill(sessionToken?: string): Promise<void> {
    const struck = [...this.#all.keys()].filter(
      (one) => sessionToken === undefined || one.sessionToken === sessionToken,
    );
    await Promise.all(struck.map((environment) => environment.kill()));
  }

  /** Ends environments that are idle; the others when they are given back. */
  renew(): void {
    this.#current = new WeakSet();
    for (const environment of this.#idle.splice(0)) this.#end(environment);
  }

  async use<T>(work: (environment: Environment) => Promise<T>): Promise<T> {
    const environment = await this.#take();
    try {
      return await work(environment);
    } finally {
      environment.giveBack();
      if (environment.alive && this.#current.has(environment)) this.#idle.push(environment);
      else this.#end(environment);
      this.#waiting.shift()?.();
    }
  }

  async #take(): Promise<Environment> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle?.alive) {
        idle.take();
        return idle;
      }
      if (idle) this.#all.delete(idle);
      else if (this.#all.size < this.#limit) {
        const taken = new Set(this.#all.values());
        let place = 0;
        while (taken.has(place)) place++;
        const environment = this.#start(place);
        environment.take();
        this.#all.set(environment, place);
        this.#current.add(environment);
        return environment;
      } else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #end(environment: Environment): void {
    this.#all.delete(environment);
    void environment.stop();
  }
}
