import type { ExampleRequest, Setting } from '../../functions/example.ts';
import { hasRoute } from '../../lib/operations/definition.ts';
import { fetchApi } from '../cli/fetch-api.ts';
import { headersOf, type Sender } from './gateway-event.ts';
import { loadExamples } from './load.ts';
import { eventFor, pathOf } from './request.ts';

/** A service that runs somewhere. */
interface CallTarget {
  baseUrl: string;
  /** Gives a function without a route its event; returns what it answers, or throws. */
  invoke(operationId: string, event: unknown): Promise<unknown>;
}

const operations = new Map(
  (await loadExamples()).map(({ operation }) => [operation.id, operation] as const),
);

/** Calls the operations of a running service as their clients do. */
export const callOf =
  ({ baseUrl, invoke }: CallTarget, sender: Sender): Setting['call'] =>
  async (operationId: string, request: ExampleRequest) => {
    const operation = operations.get(operationId);
    if (!operation) throw new Error(`there is no operation ${operationId}`);
    if (!hasRoute(operation)) return invoke(operationId, eventFor(operation, request));
    const response = await fetchApi(`${baseUrl}${pathOf(operation, request)}`, {
      method: operation.method,
      headers: headersOf(operation, request, sender),
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${operationId} is refused: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
