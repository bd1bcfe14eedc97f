import { ApiError, type ErrorCode, type ErrorDetail } from '../../errors/errors.ts';

export const mostOpenHolds = 1000;
export const mostPacks = 100;
/** The most paid lines of a subscription in the current month and later months. */
export const mostLines = 50;
/** The longest time of a paid line, in days: ten years. */
export const longestLineDays = 3653;
/** The most refunds and disputes of one purchase. */
export const mostSources = 20;

/** Why an event is not applied, and because of which field. Nothing is stored then. */
export const refusals = {
  insufficient_stars: {
    code: 'insufficient_stars',
    path: 'stars',
    message: 'are more than are available',
  },
  too_many_stars: { path: 'stars', message: 'are more than a wallet can hold' },
  no_month: { path: 'stars', message: 'can be monthly only while a month runs' },
  no_subscription: { path: 'type', message: 'needs a subscription, and there is none' },
  other_owner: { path: 'organization_id', message: 'is not whose the subscription is' },
  other_subscription: { path: 'subscription_id', message: 'is not that of the subscription' },
  unknown_plan: { path: 'tier', message: 'is not that of a plan' },
  period_ended: { path: 'period_end', message: 'must be after the beginning of the period' },
  period_too_long: {
    path: 'period_end',
    message: `must be at most ${longestLineDays} days after the beginning of the period`,
  },
  too_many_lines: {
    path: 'lines',
    message: `would be more than the ${mostLines} that a subscription can have at a time`,
  },
  too_many_packs: {
    path: 'expires_at',
    message: `would be one more than the ${mostPacks} expiries that a wallet can have`,
  },
  not_a_spend: { path: 'refunds', message: 'is neither a spend nor a captured hold' },
  more_than_spent: { path: 'stars', message: 'are more than is left of the spend to refund' },
  unknown_purchase: { path: 'purchase', message: 'is not a purchase that is known' },
  unknown_payment: { path: 'paid', message: 'is not a subscription.paid that is known' },
  unknown_amount: { path: 'amount', message: 'needs the amount that was paid, which nobody told' },
  too_many_sources: {
    path: 'source',
    message: `would be one more than the ${mostSources} of a purchase`,
  },
  payment_used: { path: 'payment', message: 'is that of another event' },
  more_than_owed: { path: 'owed_change', message: 'is more than is owed' },
  too_many_holds: {
    code: 'limit_reached',
    path: 'hold_id',
    message: `would be one more than ${mostOpenHolds} open holds`,
  },
  hold_expired: { code: 'hold_expired', path: 'hold_id', message: 'is of a hold that has expired' },
} as const satisfies Record<string, { path: string; message: string; code?: ErrorCode }>;
export type Refusal = keyof typeof refusals;

type RefusalText = ErrorDetail & { code?: ErrorCode };

/** The error of a refusal. For `insufficient_stars`, it tells what is available. */
export const toRefusalError = (refusal: Refusal, available_stars: number): ApiError => {
  const { path, message, code = 'invalid_request' }: RefusalText = refusals[refusal];
  const available = code === 'insufficient_stars' && { available_stars };
  return new ApiError(code, { details: [{ path, message, ...available }] });
};
