import type { Table } from '../table/table.ts';
import { readCounters } from './counters.ts';
import { readPipelines } from './pipeline.ts';

/** Whether a lead that is there has a value other than 0, strongly consistent: by the counters of all pipelines. */
export const hasValues = async (
  table: Table<'Query'>,
  organizationId: string,
): Promise<boolean> => {
  const pipelines = await readPipelines(table, organizationId, { consistent: true });
  const counters = await Promise.all(
    pipelines.map(({ id }) => readCounters(table, organizationId, id)),
  );
  return counters.flat().some(({ value_cents = 0 }) => BigInt(value_cents) !== 0n);
};
