import type { Subscription } from '../stored/wallet.ts';

/** The first of these counts where several statuses were told of the same moment. */
const ranking = ['canceled', 'paused', 'unpaid', 'past_due', 'active', 'trialing'];

const rankOf = (status: string): number => {
  const rank = ranking.indexOf(status);
  return rank < 0 ? ranking.length : rank;
};

/** The subscription with a status. One of a later moment stays; what tells no moment is as if it came now. */
export const withStatus = (
  subscription: Subscription,
  status: string,
  occurredAt: number | undefined,
): Subscription => {
  const { status: before, status_at } = subscription;
  if (occurredAt === undefined) return { ...subscription, status };
  if (status_at !== undefined) {
    if (occurredAt < status_at) return subscription;
    if (occurredAt === status_at && rankOf(status) > rankOf(before)) return subscription;
  }
  return { ...subscription, status, status_at: occurredAt };
};
