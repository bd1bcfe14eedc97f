import { walletEvent } from '../billing/rules/wallet-events.ts';
import type { Translation, Untold } from '../operations/kinds/background.ts';
import { parseInput } from '../schema/issues.ts';
import type { WalletMessage } from './event.ts';

/** The translation of an event of Stripe. */
export type Translated = Translation<typeof walletEvent>;

/** A message for a wallet. Throws `invalid_request` for fields that it can't have. */
export const toMessage = (message: WalletMessage) => ({
  message: parseInput(walletEvent, message),
});

/** An event that means something once this is there. */
export const waitsFor = (what: string): Untold => ({
  outcome: 'waiting',
  why: `waits for ${what}`,
});
