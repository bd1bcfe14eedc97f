import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { isRouted, loadOperations } from '../../../infra/operations.ts';
import type { HttpHandler } from '../../../lib/handlers/http/middleware.ts';
import type { RoutedOperation } from '../../../lib/operations/definition.ts';
import { run } from '../support.ts';

// Requests without a body to every operation, since whoever may not hears nothing of what is wrong with a request.

interface Routed {
  operation: RoutedOperation;
  handler: HttpHandler;
}

export const operations: Routed[] = await Promise.all(
  (await loadOperations()).filter(isRouted).map(async ({ operation, file }) => ({
    operation,
    handler: (await import(pathToFileURL(file).href)).handler,
  })),
);

/** One operation for each permission. What members may is tested with all: test/api/requests/operations.test.ts. */
export const onePerPermission = [
  ...new Map(operations.map((one) => [one.operation.permission, one])).values(),
];

/** What the operation replies to whoever has this credential. */
export const ask = async (
  { operation, handler }: Routed,
  credential: string,
  organizationId: string,
) => {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const { body, log } = await run(handler, {
    headers: { Authorization: `Bearer ${credential}`, 'X-Organization-Id': organizationId },
    path: Object.fromEntries(names.map((name) => [name, randomUUID()])),
  });
  const { code, details } = body?.error ?? {};
  return { code, details, units: log[0]?.line.capacity_units };
};
