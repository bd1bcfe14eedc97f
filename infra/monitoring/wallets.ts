import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Alarms } from './alarms.ts';
import { logCount } from './log-count.ts';

/** The log lines of functions that met an impossible wallet. */
export const walletInvariantLines = '{ $.message.cause.name = "wallet_invariant" }';

/** Impossible wallets, of which a single one is wrong. See `lib/billing/stored/parse.ts`. */
export const watchWallets = (alarms: Alarms, logs: readonly LogGroup[]): void => {
  alarms.add('wallet-invariant', {
    metric: logCount(alarms, 'WalletInvariant', logs, walletInvariantLines),
    atLeast: 1,
    feels: 'An organization can neither see nor spend its stars: what is stored can’t be right.',
    act: 'Audit its wallet, stop whatever writes to the table past the service, and correct it.',
  });
};
