import type { Grant } from '../../table/grants.ts';
import type { Table } from '../../table/table.ts';
import type { Wakes } from '../wakes.ts';

/** A function that is started by the clock. */
export interface ScheduledTask<G extends Grant = Grant> {
  id: string;
  summary: string;
  everyMinutes: number;
  /** Whether it is told where the issuer's keys are. */
  asksIssuer?: true;
  table: readonly G[];
  handle(table: Table<G>, wakes: Wakes): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: what is needed of it does not depend on its types.
export type AnyScheduledTask = ScheduledTask<any>;

export const defineScheduledTask = <const G extends Grant>(
  scheduled: ScheduledTask<G>,
): ScheduledTask<G> & { kind: 'scheduled' } => ({ kind: 'scheduled', ...scheduled });
