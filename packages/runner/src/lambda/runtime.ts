// Plays the Lambda runtime in a process of its own: loads one function's bundle and handles one event
// at a time. Started with the function's environment and nothing else.

import { existsSync } from 'node:fs';
import { createRequire, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Outcome, Work } from './environment.ts';
import { jsonLine, levels } from './json-log.ts';
import { mostPayloadBytes } from './payload.ts';

// Node.js has taken them: what is compiled is kept beside the bundles for the next process of a function. They are none
// of the function's variables.
delete process.env.NODE_COMPILE_CACHE;

type Handler = (event: unknown, context: object) => Promise<unknown>;

const [directory = '', handlerName = '', timeoutSeconds = '', logs] = process.argv.slice(2);
/** Lambda's for what is logged before the first event. */
let requestId = '-';
/** As Lambda itself says it. */
const tooLarge: Outcome = {
  kind: 'error',
  errorType: 'Function.ResponseSizeTooLarge',
  errorMessage: `Response payload size exceeded maximum allowed payload size (${mostPayloadBytes} bytes).`,
};

const say = (outcome: Outcome) => process.send?.(outcome);

for (const [method, level] of Object.entries(levels)) {
  const log = (...parts: unknown[]) => {
    const line = jsonLine(level, requestId, parts);
    // Sent on the channel of the outcomes, a line is there before the outcome of its event.
    if (logs === 'send') say({ kind: 'log', line });
    else process.stdout.write(`${JSON.stringify(line)}\n`);
  };
  Object.assign(console, { [method]: log });
}

process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});
let handler: Handler | undefined;
process.on('message', async (work: Work) => {
  requestId = work.requestId;
  const deadline = Date.now() + Number(timeoutSeconds) * 1000;
  const context = {
    awsRequestId: work.requestId,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: '$LATEST',
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
  say(await outcome(work.event, context));
  flushOnce();
});
void load().then((loaded) => {
  handler = loaded;
  if (handler) say({ kind: 'ready' });
});

let hasFlushed = false;
/** Writes the cache once, after the first event, so that it also has the code that only an event compiles. */
function flushOnce(): void {
  if (!hasFlushed) flushCompileCache();
  hasFlushed = true;
}

/** A bundle that does not load is told as an event that fails, and ends the process. */
async function load(): Promise<Handler | undefined> {
  const [file = '', name = ''] = handlerName.split('.');
  try {
    const path = join(directory, file);
    const exported = (
      existsSync(`${path}.js`)
        ? createRequire(`${path}.js`)(`${path}.js`)
        : await import(pathToFileURL(`${path}.mjs`).href)
    )[name];
    if (typeof exported === 'function') return exported;
    throw new Error(`${handlerName} is not a function that is exported.`);
  } catch (error) {
    process.send?.(failure(error), () => process.exit(1));
    return undefined;
  }
}

async function outcome(event: unknown, context: object): Promise<Outcome> {
  try {
    const payload = JSON.stringify(await handler!(event, context));
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
