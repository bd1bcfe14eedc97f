import type { Grant } from '../../table/grants.ts';
import type { Key } from '../../table/keys.ts';
import type { Table } from '../../table/table.ts';
import type { Wakes } from '../wakes.ts';

/**
 * A function that is given what is added to some partitions, from the table's stream: at least once, and
 * in order for each partition. There is room for one: the stream has two readers at most.
 */
export interface StreamConsumer<G extends Grant = Grant> {
  id: string;
  summary: string;
  takes: 'additions';
  /** How the keys of those partitions begin. */
  partitions: readonly string[];
  table: readonly G[];
  organizationOf(key: Key): string;
  /**
   * Returns when an organization's items are done with; throws to be given them again. One organization
   * that fails does not keep the others of a batch waiting.
   */
  handle(
    organizationId: string,
    keys: readonly Key[],
    table: Table<G>,
    wakes: Wakes,
  ): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: what is needed of it does not depend on its types.
export type AnyStreamConsumer = StreamConsumer<any>;

export const defineStreamConsumer = <const G extends Grant>(
  consumer: Omit<StreamConsumer<G>, 'takes'>,
): StreamConsumer<G> & { kind: 'stream' } => ({ kind: 'stream', takes: 'additions', ...consumer });
