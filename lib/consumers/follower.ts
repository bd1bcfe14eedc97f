import * as z from 'zod/mini';
import { type Condition, compare } from '../table/condition.ts';
import type { ItemKey } from '../table/kind.ts';
import { ConflictError } from '../table/retry.ts';
import type { Write } from '../table/table.ts';
import { type ItemChange, update, withoutFact } from '../table/write.ts';

// docs/decisions/consumers.md

/** Attributes of each item that follows the feed of an organization: how far it is, and who works for it now. */
export const followerAttributes = {
  feed_id: z.string(),
  /** The number up to which changes are done: none of them is read again. */
  checkpoint: z.int(),
  /** Counted up by whatever changes the checkpoint or the lease. */
  revision: z.int(),
  lease_token: z.optional(z.string()),
  /** Milliseconds since the epoch, as what follows. */
  lease_until: z.optional(z.number()),
  /** When a worker has to look at it next. */
  due_at: z.optional(z.number()),
};
export type Follower = z.output<z.ZodMiniObject<typeof followerAttributes>>;

/** Gives the lease back, or takes it away. */
export const noLease = { lease_token: undefined, lease_until: undefined };

/** Condition: neither checkpoint nor lease were changed since they were read. */
export const atRevision = ({ revision }: Pick<Follower, 'revision'>) =>
  compare('revision', '=', revision);

/** Updates a follower, and counts up `revision`; refused with `ConflictError`. */
export const updateFollower = <A extends Follower>(
  key: ItemKey<A>,
  change: ItemChange<NoInfer<A>>,
  condition: Condition<A>,
): Write<'UpdateItem'> =>
  update(key, { ...change, add: { revision: 1 } } as ItemChange<A>, {
    condition,
    refused: () => new ConflictError(),
  });

/** Takes the lease of a follower that nobody has; refused with `ConflictError`. */
export const takeLease = (
  key: ItemKey<Follower>,
  item: Follower,
  token: string,
  until: number,
): Write<'UpdateItem'> =>
  withoutFact(
    updateFollower(key, { set: { lease_token: token, lease_until: until } }, atRevision(item)),
  );

/** Condition: the lease still has this token. */
export const hasLease = (token: string) => compare('lease_token', '=', token);
