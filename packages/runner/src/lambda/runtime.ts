// Plays the Lambda runtime in a process of its own: loads functions, each as an environment, and handles one event at a
// time for each. Alone in its process, an environment finds its variables and nothing else.

import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { createRequire, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { shiftDate } from '../clock/shifted-date.ts';
import { jsonLine, levels } from './json-log.ts';
import { mostPayloadBytes } from './payload.ts';
import type { Loading, Order, Outcome, Said, Work } from './runtime-process.ts';

// Node.js has taken them: what is compiled is kept beside the bundles for the next process of a function. They are none
// of the function's variables.
delete process.env.NODE_COMPILE_CACHE;

type Handler = (event: unknown, context: object) => Promise<unknown>;

interface RuntimeEnvironment {
  number: number;
  variables: NodeJS.ProcessEnv;
  timeoutSeconds: number;
  /** The id of the event's request; Lambda's for what is logged before the first. */
  requestId: string;
  handler?: Handler | undefined;
}

const [, , logs, mostMegabytes, shiftMs] = process.argv;
const mostBytes = Number(mostMegabytes) * 1024 ** 2;
// Before a function's code is loaded.
if (Number(shiftMs) !== 0) shiftDate(Number(shiftMs));
const ownVariables = process.env;
const environments: RuntimeEnvironment[] = [];
/** The environment whose code runs. */
const running = new AsyncLocalStorage<RuntimeEnvironment>();

/** As Lambda itself says it. */
const tooLarge: Outcome = {
  kind: 'error',
  errorType: 'Function.ResponseSizeTooLarge',
  errorMessage: `Response payload size exceeded maximum allowed payload size (${mostPayloadBytes} bytes).`,
};

const say = (said: Said, sent = () => {}) => process.send?.(said, sent);

for (const [method, level] of Object.entries(levels)) {
  const log = (...parts: unknown[]) => {
    const { number = 0, requestId = '-' } = running.getStore() ?? {};
    const line = jsonLine(level, requestId, parts);
    // Sent on the channel of the outcomes, a line is there before the outcome of its event.
    if (logs === 'send') say({ environment: number, kind: 'log', line });
    else process.stdout.write(`${JSON.stringify(line)}\n`);
  };
  Object.assign(console, { [method]: log });
}

/** Gives each environment of a shared process its own `process.env`: whatever is done with that is done with these variables. */
const separateVariables = (): void => {
  const variables = () => running.getStore()?.variables ?? ownVariables;
  const passOn = (_: object, operation: keyof typeof Reflect) => {
    const pass = Reflect[operation] as (target: object, ...rest: unknown[]) => unknown;
    return (_target: object, ...rest: unknown[]) => pass(variables(), ...rest);
  };
  process.env = new Proxy({}, new Proxy({}, { get: passOn as never })) as NodeJS.ProcessEnv;
};

process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});
process.on('message', async (order: Order) => {
  if (order === 'listening?') return say('listening');
  if ('shiftMs' in order) return shiftDate(order.shiftMs);
  const { environment: number } = order;
  if ('load' in order) return start(number, order.load);
  const environment = environments[number]!;
  const outcome = await running.run(environment, () => handle(environment, order.work));
  say({ environment: number, ...outcome });
  // To ask takes a part of a short event's time, so only a process with a limit asks.
  if (mostBytes < Infinity && process.memoryUsage.rss() > mostBytes) say('large');
  flushOnce();
});

let hasFlushed = false;
/** Writes the cache once, after the first event, so that it also has the code that only an event compiles. */
function flushOnce(): void {
  if (!hasFlushed) flushCompileCache();
  hasFlushed = true;
}

async function start(number: number, loading: Loading): Promise<void> {
  const { timeoutSeconds, variables } = loading;
  if (variables && process.env === ownVariables) separateVariables();
  const environment: RuntimeEnvironment = {
    number,
    variables: variables ?? ownVariables,
    timeoutSeconds,
    requestId: '-',
  };
  environments[number] = environment;
  try {
    environment.handler = await running.run(environment, () => load(loading));
    say({ environment: number, kind: 'ready' });
  } catch (error) {
    const failed = running.run(environment, () => failure(error));
    // A bundle that does not load ends a process that is its own.
    say({ environment: number, ...failed }, () => !variables && process.exit(1));
  }
}

async function load({ directory, handler }: Loading): Promise<Handler> {
  const [file = '', name = ''] = handler.split('.');
  const path = join(directory, file);
  const exported = (
    existsSync(`${path}.js`)
      ? createRequire(`${path}.js`)(`${path}.js`)
      : await import(pathToFileURL(`${path}.mjs`).href)
  )[name];
  if (typeof exported === 'function') return exported;
  throw new Error(`${handler} is not a function that is exported.`);
}

async function handle(
  environment: RuntimeEnvironment,
  { requestId, event }: Work,
): Promise<Outcome> {
  environment.requestId = requestId;
  // The clock may be moved meanwhile.
  const deadline = performance.now() + environment.timeoutSeconds * 1000;
  const { variables } = environment;
  const context = {
    awsRequestId: requestId,
    functionName: variables.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: '$LATEST',
    memoryLimitInMB: variables.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.floor(deadline - performance.now()),
  };
  try {
    const payload = JSON.stringify(await environment.handler!(event, context));
    return Buffer.byteLength(payload ?? '') > mostPayloadBytes
      ? tooLarge
      : { kind: 'result', payload };
  } catch (error) {
    return failure(error);
  }
}

/** Logs what was thrown, as Lambda does, in a line of its own with all properties of the error. */
function failure(error: unknown): Outcome {
  console.error(error instanceof Error ? error : new Error(String(error)));
  return error instanceof Error
    ? { kind: 'error', errorType: error.name, errorMessage: error.message }
    : { kind: 'error', errorType: typeof error, errorMessage: String(error) };
}
