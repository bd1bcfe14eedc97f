import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { spendUpdate } from '../../../../lib/billing/spends/spend.ts';
import {
  putWaitingRequest,
  waitingRequestOf,
} from '../../../../lib/billing/writer/waiting/waiting-request.ts';
import type { UpdateContent } from '../../../../lib/billing/writer/wallet-update.ts';
import type { Item } from '../../../../lib/table/table.ts';
import { itemOf } from '../../../support/billing-items.ts';
import { someOrigin } from '../../../support/origin.ts';
import { atOnce } from './at-once.ts';
import type { WalletSimulation } from './wallet-simulation.ts';

// What dead senders left at a wallet.

export const spendOf = (
  { organizationId }: WalletSimulation,
  stars = 1,
  event_id: string = randomUUID(),
): UpdateContent => spendUpdate(organizationId, { event_id, stars });

interface LeftRequest {
  until?: number;
  change?: (item: Item) => Item;
}

/** Puts the request of a sender that is dead. */
export const leave = (
  { organizationId, clock, store }: WalletSimulation,
  content: UpdateContent,
  { until = clock.now + 8000, change = (item) => item }: LeftRequest = {},
): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: clock.now });
  const update = { ...content, origin: someOrigin, spender: undefined };
  const request = waitingRequestOf([update], until);
  vi.useRealTimers();
  store.put(change(itemOf(putWaitingRequest(organizationId, request))) as Item);
};

/** Leaves so many spends, and returns the ids of their events. */
export const plant = (simulation: WalletSimulation, count: number, left?: LeftRequest): string[] =>
  Array.from({ length: count }, () => {
    const content = spendOf(simulation);
    leave(simulation, content, left);
    return content.cause.event_id;
  });

export const entryIds = (simulation: WalletSimulation) =>
  simulation.ledger().map(({ event_id }) => event_id ?? '');

/** Two that meet, so that one of them waits. */
export const pair = (simulation: WalletSimulation) =>
  atOnce(simulation, [[spendOf(simulation)], [spendOf(simulation)]]);
