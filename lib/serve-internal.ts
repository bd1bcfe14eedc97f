import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { limitOf } from './deadline.ts';
import { ApiError } from './errors.ts';
import type { AnyInternalOperation } from './operation.ts';
import { openTable, type TableClient } from './table/client.ts';
import { issueDetails } from './validation.ts';

/**
 * Makes the Lambda handler of a function that is invoked directly. It answers the operation's
 * response, or fails with an error whose type is the error code and whose message says what is wrong.
 */
export const serveInternal = (operation: AnyInternalOperation) => {
  let opened: TableClient | undefined;
  return async (event: unknown, context: Context): Promise<unknown> => {
    const startedAt = Date.now();
    const log = (code?: string) =>
      console.info({
        operation: operation.id,
        request_id: context.awsRequestId,
        duration_ms: Date.now() - startedAt,
        capacity_units: opened?.takeCapacity() ?? 0,
        code,
      });
    try {
      const input = z.safeParse(operation.request.body, event);
      if (!input.success) {
        throw new ApiError('invalid_request', { details: issueDetails(input.error) });
      }
      opened ??= openTable();
      const output = await operation.handle(input.data, opened.during(limitOf(context)));
      log();
      return output;
    } catch (error) {
      log((error as Error).name);
      throw invocationError(error);
    }
  };
};

const invocationError = (error: unknown): unknown => {
  if (!(error instanceof ApiError) || !error.details) return error;
  const details = error.details.map(({ path, message }) => `${path} ${message}`).join('; ');
  const failure = new Error(`${error.message} ${details}`);
  failure.name = error.code;
  return failure;
};
