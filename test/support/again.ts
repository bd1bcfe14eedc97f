import { randomUUID } from 'node:crypto';
import type { AnyOperation } from '../../lib/operations/kinds/operation.ts';
import type { Answer } from './api.ts';

// To send an operation's sample more than once.

/** With an idempotency key of its own, if it has one: so that no request is answered with what another was. */
export const withNewKey = <H extends Record<string, string | undefined>>(headers: H): H => ({
  ...headers,
  ...(headers['Idempotency-Key'] && { 'Idempotency-Key': randomUUID() }),
});

/** Refused as a whole, or each of its leads. */
export const isRefused = ({ status, body }: Answer): boolean =>
  (status >= 400 && status < 500) ||
  (status === 200 &&
    Array.isArray(body.items) &&
    body.items.every((item: { status?: number }) => Number(item.status) >= 400));

/** Whether another request needs another sample. Reads and refusals leave what the sample names as it was. */
export const usesUp = ({ method }: AnyOperation, answer: Answer): boolean =>
  method !== 'GET' && !isRefused(answer);
