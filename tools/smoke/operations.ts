import { randomUUID } from 'node:crypto';
import { isRouted, loadOperations } from '../../infra/operations.ts';
import { differencesOfStatus, withRequest } from './api-response.ts';
import { askAsBackend } from './backend.ts';
import type { Check } from './check.ts';
import type { SmokeTarget } from './target.ts';

/** Requests at the same time: few, as a new account runs only ten functions at once. */
const atOnce = 4;

/**
 * Asks every function with a route, with ids of nothing and an empty body: so nothing is written, and yet a function
 * has to start, and to read the caller's key in the table.
 */
export const operationChecks: Check[] = [
  {
    title: 'every function with a route starts, and knows its caller',
    run: async (target) => {
      const operations = (await loadOperations()).filter(isRouted).map((one) => one.operation);
      const differences: string[] = [];
      const work = async () => {
        for (let one = operations.shift(); one; one = operations.shift()) {
          differences.push(...(await differencesOfOperation(target, one)));
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      return differences;
    },
  },
];

/** The statuses of who asks for nothing, or for what is not there. */
const expected = [200, 400, 404];

const differencesOfOperation = async (
  target: SmokeTarget,
  { method, path }: { method: string; path: string },
): Promise<string[]> => {
  const request = `${method} ${path}`;
  const body = ['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined;
  const place = path.replace(/\{\w+\}/g, () => randomUUID());
  const answer = await askAsBackend(target, method, place, body).catch((error) => error as Error);
  if (answer instanceof Error) {
    if (target.stopped?.aborted || answer.name === 'NotTriedError') throw answer;
    return [answer.message];
  }
  if (expected.includes(answer.status)) return [];
  return withRequest(request, differencesOfStatus(answer, 404));
};
