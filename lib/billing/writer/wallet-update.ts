import type { Origin } from '../../facts/origin.ts';
import type { Table } from '../../table/table.ts';
import type { Cause } from '../rules/causes.ts';
import { type Found, readFor, readsOf } from './reads.ts';

/** What is asked of a wallet, whoever asks for it. */
export interface UpdateContent {
  cause: Cause;
  /** Milliseconds since the epoch: if the wallet's time is later as the update is decided, it is `too_late`. */
  not_after?: number | undefined;
  /** The fingerprint of the request, the same in repeats, where the cause says more than the request. Else that of the cause. */
  fingerprint?: string | undefined;
}

/** Who asks for updates. */
export interface Asker {
  /** Who it is, and by which request. */
  origin: Origin;
  /** The caller's own spender, if it has one: for any other it may neither spend nor hold. Undefined where it may for all. */
  spender: string | undefined;
}

// docs/decisions/wallet-rules.md
/** An update of a wallet. It is a plain value and changes nothing by itself: whoever carries it out decides it alike. */
export type WalletUpdate = UpdateContent &
  Asker & {
    /** The name of an update that waits, or has waited: its record keeps it. */
    ticket?: string | undefined;
  };

/** Updates of one wallet, and what was read for them, if it was read before. */
export interface WalletChange {
  organizationId: string;
  updates: readonly WalletUpdate[];
  found?: Found | undefined;
}

/** A change for which all was read, while it was not yet known who asks for it. */
export interface PreparedChange {
  organizationId: string;
  contents: readonly UpdateContent[];
  found: Found;
}

/** Reads what updates need, in one request. */
export const prepare = async (
  table: Table<'GetItem'>,
  organizationId: string,
  ...contents: UpdateContent[]
): Promise<PreparedChange> => ({
  organizationId,
  contents,
  found: await readFor(
    table,
    organizationId,
    contents.map(({ cause }) => readsOf(cause)),
  ),
});

/** The change as this caller asks for it. */
export const askedBy = (
  { origin, spender }: Asker,
  { contents, ...change }: PreparedChange,
): WalletChange => ({
  ...change,
  updates: contents.map((content) => ({ ...content, origin, spender })),
});
