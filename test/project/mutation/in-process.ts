import { openSync, writeSync } from 'node:fs';
import {
  EventBus,
  type Invocation,
  type LocalFunction,
  type MessageQueue,
  readAssembly,
  State,
  startAwsApis,
  startGateway,
  startQueues,
} from '@leads-and-stars/runner';
import { inject } from 'vitest';
import { loadOperations } from '../../../infra/operations.ts';
import { contextFor } from '../../unit/support.ts';

// Serves the API, Lambda's Invoke and the bus once more: on the service's table, by functions in the process of the tests, so
// that a mutant is at work where requests are answered. What the stream starts stays in processes of its own.

const service = inject('service');

type Handler = (event: unknown, context: object) => Promise<unknown>;

const loadHandlers = async (): Promise<Map<string, Handler>> => {
  const handlers = new Map<string, Handler>();
  for (const { operation, file } of await loadOperations()) {
    const { logicalId } = service.functions.find(({ name }) => name.endsWith(`-${operation.id}`))!;
    handlers.set(logicalId, (await import(file)).handler);
  }
  return handlers;
};

/** Some tests look for what functions log, in the file where their runtime writes it. */
const keepLines = (log: number): void => {
  for (const level of ['info', 'error'] as const) {
    const others = console[level];
    console[level] = (message: object) => {
      others(message);
      writeSync(log, `${JSON.stringify({ level: level.toUpperCase(), message })}\n`);
    };
  }
};

const start = async () => {
  const log = openSync(service.logFile, 'a');
  keepLines(log);
  const handlers = await loadHandlers();
  const invoke = async (logicalId: string, event: unknown): Promise<Invocation> => {
    try {
      const result = await handlers.get(logicalId)!(event, contextFor(11_000));
      return { kind: 'result', payload: JSON.stringify(result) };
    } catch (error) {
      const { name, message } = error as Error;
      return { kind: 'error', errorType: name, errorMessage: message };
    }
  };
  const lambda = {
    invoke: ({ logicalId }: LocalFunction, event: unknown) => invoke(logicalId, event),
  };

  const gateway = await startGateway(service.api, { port: 0, invoke });
  const assembly = await readAssembly(service.directory, 'LeadsAndStars');
  const queues = new Map<string, MessageQueue>();
  const state = new State();
  startQueues(queues, assembly, lambda, { logs: log, state });
  const apis = await startAwsApis(assembly, lambda, new EventBus(assembly, queues, state));
  const { endpoint } = apis;
  return { baseUrl: gateway.baseUrl, lambdaEndpoint: endpoint, eventsEndpoint: endpoint };
};

// Once for all files of a process.
const kept = globalThis as { inProcess?: ReturnType<typeof start> };
kept.inProcess ??= start();
Object.assign(service, await kept.inProcess);
