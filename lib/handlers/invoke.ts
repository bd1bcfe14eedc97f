import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import type { AnyInternalOperation } from '../operations/kinds/internal-operation.ts';
import { issueDetails } from '../schema/issues.ts';
import { openTable, type TableClient } from '../table/client.ts';
import { timeBoundsOf } from '../table/deadline.ts';
import { describeDetails, writeLine } from './log.ts';
import { measure } from './measurement.ts';

/**
 * Makes the Lambda handler of a function that is invoked directly. It answers with the operation's response, or
 * fails with an error: its type is the error code, and its message says what is wrong.
 */
export const serveInternal = (operation: AnyInternalOperation) => {
  let opened: TableClient | undefined;
  return async (event: unknown, context: Context): Promise<unknown> => {
    opened ??= openTable();
    const table = opened.during(timeBoundsOf(context));
    const { output, error, metrics } = await measure(table, async () => {
      const input = z.safeParse(operation.request.body, event);
      if (!input.success) {
        throw new ApiError('invalid_request', { details: issueDetails(input.error) });
      }
      return operation.handle(input.data, table);
    });
    const line = {
      operation: operation.id,
      request_id: context.awsRequestId,
      organization_id: organizationOf(event),
    };
    writeLine({ ...line, ...metrics }, error && error.kind.status >= 500 ? error : undefined);
    if (error) throw invocationError(error);
    return output;
  };
};

/** The organization that the caller names, if it is an id. The log holds nothing else that a caller wrote. */
const organizationOf = (event: unknown): string | undefined => {
  const id = z.safeParse(z.object({ organization_id: z.uuid() }), event).data?.organization_id;
  return id?.toLowerCase();
};

/**
 * The error that the caller gets. Lambda's runtime logs an error with all of its own properties. Those of our errors
 * would be counted as a second failure, and those of the SDK's errors hold stored data.
 */
const invocationError = ({ code, message, details = [] }: ApiError): Error => {
  const error = new Error(`${message} ${describeDetails(details)}`.trim());
  Object.defineProperty(error, 'name', { value: code });
  return error;
};
