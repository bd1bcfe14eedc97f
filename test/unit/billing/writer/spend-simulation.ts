import { randomUUID } from 'node:crypto';
import { spendUpdate } from '../../../../lib/billing/spends/spend.ts';
import { emptyWallet } from '../../../../lib/billing/stored/wallet.ts';
import { changeWalletInBatch } from '../../../../lib/billing/writer/change-wallet.ts';
import { walletTableFor } from '../../../../lib/billing/writer/wallet-table.ts';
import { askedBy, prepare } from '../../../../lib/billing/writer/wallet-update.ts';
import {
  isWriteConflict,
  replyBeforeTimeoutMs,
  timeBoundsAfter,
} from '../../../../lib/table/retry.ts';
import { walletItem } from '../../../support/billing-items.ts';
import { someOrigin } from '../../../support/origin.ts';
import { random } from '../../../support/random.ts';
import { SimulatedStore } from '../../../support/simulated-store.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

/** Milliseconds that a function has for a request. */
const functionMs = 11_000 - replyBeforeTimeoutMs;

/** What became of spends. */
export interface SpendsOutcome {
  /** Milliseconds that each request took, the shortest first. */
  tookMs: number[];
  /** How many were `write_conflict`. */
  refused: number;
}

/**
 * Spends that come to one wallet at random, so many in each request, in virtual time: the service's own code, and a table
 * that refuses those that meet.
 */
export const simulateSpends = async (
  perSecond: number,
  seconds: number,
  seed: number,
  batchSize = 1,
): Promise<SpendsOutcome> => {
  const next = random(seed);
  const clock = new VirtualClock(next);
  const store = new SimulatedStore(clock);
  const organization_id = randomUUID();
  store.put(walletItem(organization_id, { ...emptyWallet, pack_stars: 1_000_000 }));
  const table = store.open();
  const outcome: SpendsOutcome = { tookMs: [], refused: 0 };

  const spend = async () => {
    const cameAt = clock.now;
    const contents = Array.from({ length: batchSize }, () =>
      spendUpdate(organization_id, { event_id: randomUUID(), stars: 1 }),
    );
    try {
      const timely = table.during(timeBoundsAfter(functionMs));
      const change = askedBy(
        { origin: someOrigin, spender: undefined },
        await prepare(timely, organization_id, ...contents),
      );
      for (const result of await changeWalletInBatch(walletTableFor(timely, someOrigin), change)) {
        if ('error' in result) throw result.error;
      }
      outcome.tookMs.push(clock.now - cameAt);
    } catch (error) {
      if (!isWriteConflict(error)) throw error;
      outcome.refused++;
    }
  };
  const all: Promise<void>[] = [];
  for (let n = 0; n < (perSecond * seconds) / batchSize; n++) {
    clock.after(next() * seconds * 1000, () => all.push(spend()));
  }
  // Those that came last may take all of their time.
  await clock.run(seconds * 1000 + functionMs);
  await Promise.all(all);
  outcome.tookMs.sort((a, b) => a - b);
  return outcome;
};
