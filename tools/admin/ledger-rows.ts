import type { LedgerEntry } from '../../lib/billing/stored/ledger-entry.ts';
import type { Row } from './output.ts';

/** Columns that are left out where no entry says anything in them: a table of all would be too wide to read. */
const optional = ['refunds', 'lapsed', 'lost', 'feature', 'spender', 'reason'];

/** A wallet's history for people: with what it takes to tell who spent stars on what, and whether twice. */
export const ledgerRows = (entries: readonly LedgerEntry[]): Row[] => {
  const rows = entries.map(rowOf);
  const silent = optional.filter((name) => rows.every((row) => !row[name]));
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !silent.includes(name))),
  );
};

const rowOf = (entry: LedgerEntry): Row => ({
  version: entry.version,
  at: entry.at,
  type: entry.type,
  event_id: entry.event_id,
  refunds: entry.refunds,
  monthly: entry.monthly_change,
  pack: entry.pack_change,
  held: entry.held_change,
  lapsed: entry.monthly_lapsed + entry.pack_lapsed,
  lost: entry.lost.reduce((all, { stars }) => all + stars, 0),
  total_after: entry.monthly_after + entry.pack_after,
  feature: entry.feature,
  spender: entry.spender,
  reason: entry.reason,
});
