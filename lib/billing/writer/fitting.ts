import type { WalletStep } from '../rules/step.ts';
import { type Decision, decide, type FoundWallet } from './decisions.ts';
import type { WalletWrite } from './wallet-table.ts';
import type { WalletUpdate } from './wallet-update.ts';
import { mostItems, writesOf } from './writes.ts';

/** Decisions, and the writes of them. */
export interface Decided {
  decisions: Decision[];
  writes: WalletWrite[];
}

export const stepsOf = (decisions: readonly Decision[]): WalletStep[] =>
  decisions.flatMap(({ step }) => step ?? []);

/** What is decided of the first of these updates: as many as a transaction has room for, beside `others` items. */
export const decideFitting = (
  organizationId: string,
  updates: readonly WalletUpdate[],
  found: FoundWallet,
  now: number,
  others = 0,
): Decided => {
  const decisions = decide(updates, found, now);
  for (;;) {
    const writes = writesOf(organizationId, found.wallet, found.records, stepsOf(decisions));
    if (writes.length + others <= mostItems) return { decisions, writes };
    decisions.pop();
  }
};
