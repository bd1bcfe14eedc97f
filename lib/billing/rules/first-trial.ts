import type { Wallet } from '../stored/wallet.ts';
import { stripePrefix } from '../terms/fields.ts';
import type { Cause } from './causes.ts';

// A trial of Stripe gives stars once for each organization. Your own billing says itself what a trial gives.

const trialLines = (cause: Cause) =>
  cause.type === 'subscription.paid' && cause.event_id.startsWith(stripePrefix)
    ? (cause.lines ?? []).filter(({ trial }) => trial)
    : [];

/** A cause as it counts: its trial gives nothing if the organization has had one. */
export const withFirstTrial = (cause: Cause, { had_trial }: Wallet): Cause =>
  had_trial && cause.type === 'subscription.paid' && trialLines(cause).length > 0
    ? {
        ...cause,
        lines: cause.lines?.map((line) =>
          line.trial ? { ...line, monthly_grant_stars: 0 } : line,
        ),
      }
    : cause;

/** The wallet, which remembers a trial that gave stars. */
export const afterTrial = (cause: Cause, wallet: Wallet): Wallet =>
  trialLines(cause).some(({ monthly_grant_stars }) => monthly_grant_stars > 0)
    ? { ...wallet, had_trial: true }
    : wallet;
