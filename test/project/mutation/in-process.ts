import { type Invocation, startGateway } from '@leads-and-stars/runner';
import { inject } from 'vitest';
import { isRouted, loadOperations } from '../../../infra/operations.ts';
import { contextFor } from '../../unit/support.ts';

// Serves the API once more: on the service's table, by functions in the process of the tests, so that a mutant is at work
// where requests are answered.

const service = inject('service');

const start = async (): Promise<string> => {
  const handlers = new Map<string, (event: unknown, context: object) => Promise<unknown>>();
  for (const { operation, file } of (await loadOperations()).filter(isRouted)) {
    const { logicalId } = service.functions.find(({ name }) => name.endsWith(`-${operation.id}`))!;
    handlers.set(logicalId, (await import(file)).handler);
  }

  const invoke = async (logicalId: string, event: unknown): Promise<Invocation> => {
    try {
      const result = await handlers.get(logicalId)!(event, contextFor(11_000));
      return { kind: 'result', payload: JSON.stringify(result) };
    } catch (error) {
      const { name, message } = error as Error;
      return { kind: 'error', errorType: name, errorMessage: message };
    }
  };
  return (await startGateway(service.api, { port: 0, invoke })).baseUrl;
};

// Once for all files of a process.
const kept = globalThis as { baseUrl?: Promise<string> };
kept.baseUrl ??= start();
service.baseUrl = await kept.baseUrl;
