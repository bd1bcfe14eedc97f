import type { FunctionLogs } from '../function-logs.ts';
import type { Alarms } from './alarms.ts';
import { logCount } from './log-count.ts';

/** The log lines of functions that met an impossible wallet. */
export const walletInvariantLines = '{ $.message.cause.name = "wallet_invariant" }';

/** The log lines of events that were paid and gave nothing. See `lib/billing/writer/unserved.ts`. */
export const unservedLines = '{ $.message.outcome = "unserved" }';

/** The log lines of waiting requests that nobody carried out in time. See `lib/billing/writer/waiting/combine.ts`. */
export const untakenLines = '{ $.message.outcome = "untaken" }';

/** Impossible wallets, paid events without stars, and waiting requests that nobody took: a single one is wrong. */
export const watchWallets = (alarms: Alarms, logs: FunctionLogs): void => {
  alarms.add('wallet-invariant', {
    urgency: 'wakes',
    metric: logCount(alarms, 'WalletInvariant', logs.all, walletInvariantLines),
    atLeast: 1,
    feels: 'An organization can neither see nor spend its stars: what is stored can’t be right.',
    act: 'Audit its wallet, stop whatever writes to the table past the service, and correct it.',
  });
  const givers = [logs.of('routed'), logs.of('queue')];
  alarms.add('stars-unserved', {
    urgency: 'tells',
    metric: logCount(alarms, 'StarsUnserved', givers, unservedLines),
    atLeast: 1,
    feels: 'A customer paid for a time in which no month runs, and got no stars for it.',
    act: 'Find the event in the log, and give its stars by hand, if they are due.',
  });
  alarms.add('waiting-requests-untaken', {
    urgency: 'tells',
    metric: logCount(alarms, 'WaitingRequestsUntaken', givers, untakenLines),
    atLeast: 1,
    feels: 'A spend or another change of a wallet got no answer, and was not made.',
    act: 'See why functions were killed while they waited for a wallet.',
  });
};
