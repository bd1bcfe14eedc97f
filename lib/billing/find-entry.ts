import { ordinal } from '../table/keys.ts';
import type { ItemOf } from '../table/kind.ts';
import type { Table } from '../table/table.ts';
import { ledgerEntryKind } from './stored/stored-entry.ts';

/** Entries that are read at once, so that few steps find an entry by its time. */
const probes = 16;

interface FoundEntry {
  /** 0 if there is none. */
  version: number;
  item: ItemOf<typeof ledgerEntryKind> | undefined;
}

/** The last of the entries before a version whose time is `at` or earlier. Each request leaves a seventeenth of them. */
export const findLastEntry = async (
  table: Table<'GetItem'>,
  organizationId: string,
  version: number,
  at: number,
): Promise<FoundEntry> => {
  let found: FoundEntry = { version: 0, item: undefined };
  let after = version;
  while (after - found.version > 1) {
    const step = Math.max(1, Math.ceil((after - found.version) / (probes + 1)));
    const { version: last } = found;
    const versions = Array.from({ length: probes }, (_, i) => last + (i + 1) * step).filter(
      (one) => one < after,
    );
    const entries = await table.getAll(
      versions.map((one) => ledgerEntryKind.key({ organizationId, version: ordinal(one) })),
    );
    const first = entries.findIndex((entry) => entry && Date.parse(entry.at) > at);
    const earlierCount = first < 0 ? versions.length : first;
    if (first >= 0) after = versions[first]!;
    if (earlierCount > 0) {
      found = { version: versions[earlierCount - 1]!, item: entries[earlierCount - 1] };
    }
  }
  return found;
};
