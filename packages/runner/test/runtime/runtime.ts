import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { LocalFunction } from '@leads-and-stars/runner';

const client = join(import.meta.dirname, 'node_modules/aws-lambda-ric/index.mjs');
const register = join(import.meta.dirname, 'register.ts');

/** A line of a function's log, as CloudWatch gets it. */
export interface Line {
  level: string;
  requestId: string;
  // biome-ignore lint/suspicious/noExplicitAny: what functions log, in every shape.
  message: any;
}

/** What became of an event, and what was logged meanwhile. */
export interface Outcome {
  kind: 'response' | 'error';
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  payload: any;
  lines: Line[];
}

interface Invocation {
  id: string;
  event: unknown;
  milliseconds: number;
  handed: boolean;
  done: (outcome: Outcome) => void;
  failed: (error: Error) => void;
}

/**
 * A function's bundle in a process of its own, run by AWS's runtime client (`aws-lambda-ric`): that loads the
 * handler, makes the context, formats errors and logs. Its other side, the Runtime API, is here:
 * https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html.
 */
export class Runtime {
  readonly #server: Server;
  readonly #fn: LocalFunction;
  readonly #variables: Record<string, string>;
  readonly #directory = mkdtempSync(join(tmpdir(), 'leads-and-stars-runtime-'));
  /** What is written to a file is there before the answer is; what is written to a pipe may come later. */
  readonly #log = join(this.#directory, 'log');
  #child: ChildProcess | undefined;
  /** Asked for, and not answered yet. */
  #invocation: Invocation | undefined;
  /** The runtime, asking for the next one. It may do so before its answer to the one before arrives. */
  #waiting: ServerResponse | undefined;

  constructor(fn: LocalFunction, variables: Record<string, string>) {
    this.#fn = fn;
    this.#variables = variables;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    const { name, handler, code, memoryMegabytes, environment } = this.#fn;
    const log = openSync(this.#log, 'a');
    this.#child = spawn(process.execPath, ['--import', register, client], {
      stdio: ['ignore', log, log],
      env: {
        AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
        AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1: 'true',
        AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${process.versions.node.split('.')[0]}.x`,
        AWS_LAMBDA_LOG_FORMAT: 'JSON',
        AWS_LAMBDA_FUNCTION_NAME: name,
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
        AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
        AWS_LAMBDA_LOG_STREAM_NAME: 'test',
        LAMBDA_TASK_ROOT: code,
        _HANDLER: handler,
        ...environment,
        ...this.#variables,
      },
    });
    closeSync(log);
    this.#child.on('exit', () => this.#fail('the runtime ended'));
  }

  /**
   * Has the function handle an event, in the minute that a slow machine may need unless told, from when it is loaded.
   * Rejects if it does not even start.
   */
  invoke(event: unknown, milliseconds = 60_000): Promise<Outcome> {
    return new Promise((done, failed) => {
      this.#invocation = { id: randomUUID(), event, milliseconds, handed: false, done, failed };
      this.#hand();
    });
  }

  async close(): Promise<void> {
    this.#child?.kill('SIGKILL');
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    rmSync(this.#directory, { recursive: true });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const [what] = request.url?.split('/').slice(-1) ?? [];
    if (what === 'next') {
      this.#waiting = response;
      this.#hand();
      return;
    }
    response.writeHead(202).end('{}');
    if (request.url?.endsWith('/init/error')) this.#fail(`it does not start: ${body}`);
    else this.#end(what as Outcome['kind'], JSON.parse(body));
  }

  /** Gives the event to the runtime, once there are both. */
  #hand(): void {
    if (!this.#invocation || this.#invocation.handed || !this.#waiting) return;
    this.#invocation.handed = true;
    const { id, event, milliseconds } = this.#invocation;
    this.#waiting
      .writeHead(200, {
        'Lambda-Runtime-Aws-Request-Id': id,
        'Lambda-Runtime-Deadline-Ms': String(Date.now() + milliseconds),
        'Lambda-Runtime-Invoked-Function-Arn': `arn:aws:lambda:us-east-1:000000000000:function:${this.#fn.name}`,
      })
      .end(JSON.stringify(event));
    this.#waiting = undefined;
  }

  #end(kind: Outcome['kind'], payload: unknown): void {
    const lines = this.#takeLog().split('\n').filter(Boolean).map(parsed);
    this.#invocation?.done({ kind, payload, lines });
    this.#invocation = undefined;
  }

  #takeLog(): string {
    const written = readFileSync(this.#log, 'utf8');
    truncateSync(this.#log);
    return written;
  }

  #fail(message: string): void {
    const { name } = this.#fn;
    this.#invocation?.failed(new Error(`${name}: ${message}\n${readFileSync(this.#log, 'utf8')}`));
    this.#invocation = undefined;
  }
}

const parsed = (line: string): Line => {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(`not a line of JSON: ${line}`);
  }
};
