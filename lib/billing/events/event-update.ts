import * as z from 'zod/mini';
import { type WalletEvent, walletEvent } from '../rules/wallet-events.ts';
import { stripePrefix } from '../terms/fields.ts';
import type { UpdateContent } from '../writer/wallet-update.ts';

/** An event of whoever may choose its id. */
export const ownWalletEvent = walletEvent.check(
  z.refine<{ event_id: string }>(({ event_id }) => !event_id.startsWith(stripePrefix), {
    path: ['event_id'],
    error: `must not begin with ${stripePrefix}`,
  }),
);

/** The update that an event asks of its wallet, until `not_after`: milliseconds since the epoch. */
export const eventUpdate = (event: WalletEvent, not_after?: number): UpdateContent => ({
  cause: event,
  not_after,
});
