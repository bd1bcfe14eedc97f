import * as z from 'zod/mini';
import { type WalletEvent, walletEvent } from '../rules/wallet-events.ts';
import type { Balance } from '../stored/balance.ts';
import { stripePrefix } from '../terms/fields.ts';
import { assertSameCause, type WalletUpdate } from '../writer/change-wallet.ts';

/** An event of whoever may choose its id. */
export const ownWalletEvent = walletEvent.check(
  z.refine<{ event_id: string }>(({ event_id }) => !event_id.startsWith(stripePrefix), {
    path: ['event_id'],
    error: `must not begin with ${stripePrefix}`,
  }),
);

/**
 * Applies an event to its wallet, once, until `notAfter`: milliseconds since the epoch. The outcome is the wallet after it.
 * Throws `event_id_reused` for an event_id that another event or hold has.
 */
export const applyEvent = (event: WalletEvent, notAfter?: number): WalletUpdate<Balance> => ({
  cause: event,
  notAfter,
  outcomeOf(record) {
    if (record) assertSameCause(record, event, 'event_id');
    return record?.balance;
  },
});
