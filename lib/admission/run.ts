import { toApiError } from '../errors/errors.ts';
import { replyOnce, replyToParts } from '../operations/idempotency.ts';
import { isReplay, toIdempotentRequest } from '../operations/idempotency-record.ts';
import type { AnyCallerOperation } from '../operations/kinds/caller-operation.ts';
import type { AnyOperation } from '../operations/kinds/operation.ts';
import type { Reply } from '../operations/request.ts';
import type { Caller } from '../organizations/caller.ts';
import type { TableClient } from '../table/client.ts';
import { type AdmittedRequest, admit } from './admission.ts';
import { type AdmittedCaller, admitCaller } from './caller-admission.ts';
import type { Input } from './input.ts';
import { type OpenRequest, workWithin } from './open-request.ts';
import { unwrap } from './settled.ts';

/** What admission adds to a request: the operation's reply to it. */
export interface Admitted {
  reply(): Promise<Reply>;
}

/**
 * Runs an operation for a caller: admission, the limit of requests, validation, and one reply under an idempotency key.
 * `organization` is the id that the caller names; an API key of an organization need not name it. One request may run
 * several operations, also at once: each is admitted and counted by itself. Throws nothing but `ApiError`.
 */
export const run = (
  operation: AnyOperation,
  caller: Caller,
  organization: string | undefined,
  input: Input,
  request: OpenRequest,
): Promise<Reply> =>
  workWithin(request, async (inner) => {
    try {
      return await (await start(operation, caller, organization, input, inner)).reply();
    } catch (error) {
      throw toApiError(error);
    }
  });

/** The first half of `run`: `reply` is the second. A request can start one operation; who opened the request ends it. */
export const start = async (
  operation: AnyOperation,
  caller: Caller,
  organization: string | undefined,
  input: Input,
  request: OpenRequest,
): Promise<Admitted> => {
  const admitted = await admit(operation, caller, organization, input, request);
  return { reply: () => replyTo(operation, admitted, request.table) };
};

/** `start` for an operation in no organization. */
export const startForCaller = async (
  operation: AnyCallerOperation,
  caller: Caller,
  organization: string | undefined,
  input: Input,
  request: OpenRequest,
): Promise<Admitted> => {
  const admitted = await admitCaller(operation, caller, organization, input, request);
  return { reply: () => replyToCaller(operation, admitted, request.table) };
};

/** The operation's reply to an admitted request, once under each idempotency key, while the request is being counted. */
export const replyTo = async (
  operation: AnyOperation,
  { call, idempotencyKey, json, data, counting }: AdmittedRequest,
  table: TableClient,
): Promise<Reply> => {
  const request = toIdempotentRequest(operation.id, call, idempotencyKey, json);
  // `unwrap` throws within the work: so what the read refused is recorded under the key, as what the work refuses.
  try {
    if (operation.parts) {
      return await replyToParts(
        table,
        call.origin,
        request,
        operation.parts(call),
        async (replies) => operation.handle(call, unwrap(data), table, replies),
      );
    }
    const reply = await replyOnce(table, call.origin, request, async (commit) =>
      operation.handle(call, unwrap(data), table, commit),
    );
    if (!operation.completeReplay || !isReplay(reply)) return reply;
    return await operation.completeReplay(call, reply, table);
  } finally {
    await counting;
  }
};

/** The reply of an operation in no organization. */
const replyToCaller = async (
  operation: AnyCallerOperation,
  { call, verdict, counting }: AdmittedCaller,
  table: TableClient,
): Promise<Reply> => {
  try {
    const [reply] = await Promise.all([operation.handle(call, table), verdict]);
    return reply;
  } finally {
    await counting;
  }
};
