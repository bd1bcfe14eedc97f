import type { Wallet } from '../stored/wallet.ts';
import { stripePrefix } from '../terms/fields.ts';
import type { Cause } from './causes.ts';
import { freeMonthly } from './months/wallet-months.ts';

// A trial of Stripe gives stars once for each organization. Your own billing says itself what a trial gives.

const trialLines = (cause: Cause) =>
  cause.type === 'subscription.paid' && cause.event_id.startsWith(stripePrefix)
    ? (cause.lines ?? []).filter(({ trial }) => trial)
    : [];

/**
 * The cause that counts: if the organization has had a trial, another trial only keeps what is left of the first, while
 * it runs.
 */
export const withFirstTrial = (cause: Cause, wallet: Wallet): Cause => {
  if (cause.type !== 'subscription.paid' || !wallet.had_trial) return cause;
  const [first] = trialLines(cause);
  if (!first) return cause;
  const left = isTrialRunning(wallet) ? freeMonthly(wallet) : 0;
  const lines = cause.lines?.map((line) =>
    line.trial ? { ...line, monthly_grant_stars: line === first ? left : 0 } : line,
  );
  return { ...cause, lines };
};

const isTrialRunning = ({ month, subscription }: Wallet): boolean =>
  subscription?.lines.some(({ trial, from }) => trial && from === month?.from) ?? false;

/** The wallet, which remembers a trial that gave stars. */
export const afterTrial = (cause: Cause, wallet: Wallet): Wallet =>
  trialLines(cause).some(({ monthly_grant_stars }) => monthly_grant_stars > 0)
    ? { ...wallet, had_trial: true }
    : wallet;
