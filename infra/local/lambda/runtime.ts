// Plays the Lambda runtime in a process of its own: loads one function's bundle and handles one event
// at a time. Started with the function's environment and nothing else.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { format } from 'node:util';
import type { LogLine, Outcome, Work } from './environment.ts';

type Handler = (event: unknown, context: object) => Promise<unknown>;

const [directory = '', handlerName = '', timeoutSeconds = '', logs] = process.argv.slice(2);
let requestId: string | undefined;

/** Sent on the channel of the outcomes, a line is there before the outcome of its event. */
const log = (line: LogLine) => {
  if (logs === 'send') process.send?.({ kind: 'log', line } satisfies Outcome);
  else process.stdout.write(`${JSON.stringify(line)}\n`);
};

// Lambda's JSON log format: one line for each call of console, an object as it is.
for (const level of ['debug', 'info', 'warn', 'error', 'log'] as const) {
  console[level] = (...parts: unknown[]) => {
    const message =
      parts.length === 1 && typeof parts[0] !== 'string' ? parts[0] : format(...parts);
    const name = level === 'log' ? 'INFO' : level.toUpperCase();
    log({ timestamp: new Date().toISOString(), level: name, requestId, message });
  };
}

const [file = '', name = ''] = handlerName.split('.');
const handler = createRequire(import.meta.url)(join(directory, `${file}.js`))[name] as Handler;

process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});
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
  process.send?.(await outcome(work.event, context));
});
process.send?.({ kind: 'ready' } satisfies Outcome);

async function outcome(event: unknown, context: object): Promise<Outcome> {
  try {
    return { kind: 'result', payload: JSON.stringify(await handler(event, context)) };
  } catch (error) {
    const { name: errorType, message: errorMessage, stack } = error as Error;
    console.error({ errorType, errorMessage, stack });
    return { kind: 'error', errorType, errorMessage };
  }
}
