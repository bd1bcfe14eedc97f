import * as z from 'zod/mini';
import { absent } from '../../table/condition.ts';
import { places } from '../../table/keys.ts';
import { Kind } from '../../table/kind.ts';
import { ConflictError } from '../../table/retry.ts';
import type { Write } from '../../table/table.ts';
import { put } from '../../table/write.ts';
import { refuseStored } from './wallet-invariant.ts';

export const subscriptionOwnerKind = new Kind(places.subscriptionOwner, {
  holds: 'whose a subscription of Stripe is',
  attributes: z.object({ organization_id: z.string() }),
  refuse: refuseStored,
});

/** Keeps whose a subscription is. Refused with `write_conflict` if somebody else has kept it by now. */
export const putSubscriptionOwner = (
  subscription: string,
  organization_id: string,
): Write<'PutItem'> =>
  put(
    subscriptionOwnerKind.key({ subscription }),
    { organization_id },
    { condition: absent, refused: () => new ConflictError() },
  );
