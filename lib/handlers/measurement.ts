import { type ApiError, type ErrorCode, toApiError } from '../errors/errors.ts';
import type { TableClient } from '../table/client.ts';
import type { LogLine } from './log.ts';

const transientCodes = new Set<ErrorCode>(['write_conflict', 'unavailable', 'timeout']);

/** Whether the same work may succeed later, with nothing changed. */
export const mayPass = ({ code }: ApiError): boolean => transientCodes.has(code);

interface Measurement<T> {
  /** The result of the work; undefined where it failed. */
  output: T | undefined;
  error: ApiError | undefined;
  /** The parts of the log line that tell of the work. */
  metrics: Pick<LogLine, 'duration_ms' | 'capacity_units' | 'code'>;
}

/** Does the work, and ends what it left under way in the table. Never rejects. */
export const measure = async <T>(
  table: TableClient,
  work: () => Promise<T>,
): Promise<Measurement<T>> => {
  const startedAt = Date.now();
  let output: T | undefined;
  let error: ApiError | undefined;
  try {
    output = await work();
  } catch (thrown) {
    error = toApiError(thrown);
  } finally {
    table.end();
  }
  const duration_ms = Date.now() - startedAt;
  return {
    output,
    error,
    metrics: { duration_ms, capacity_units: table.units, code: error?.code },
  };
};
