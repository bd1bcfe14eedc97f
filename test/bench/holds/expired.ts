import { randomUUID } from 'node:crypto';
import { Processes } from '@leads-and-stars/runner';
import { applyEvent } from '../../../lib/billing/apply-event.ts';
import { putOpenHold } from '../../../lib/billing/holds/open-holds.ts';
import { apply } from '../../../lib/billing/rules/rules.ts';
import { emptyWallet, type Wallet, walletItem } from '../../../lib/billing/wallet.ts';
import type { TableClient } from '../../../lib/table/client.ts';
import type { Item } from '../../../lib/table/table.ts';
import { openLoaded, startLoadedEngine } from '../lists/load.ts';
import type { Progress } from '../section.ts';

export interface Expired {
  holds: number;
  read: number;
  write: number;
  transactions: number;
  milliseconds: number;
}

const sizes = [0, 1, 10, 100, 1000];
const minute = 60_000;

/** What a spend costs after so many holds of its wallet have expired. */
export const expiredHolds = async (progress: Progress): Promise<Expired[]> => {
  progress.expect(1 + sizes.length);
  const processes = new Processes();
  try {
    progress.step('holds that expire');
    const wallets = new Map(sizes.map((size) => [size, randomUUID()]));
    const table = await openLoaded(await startLoadedEngine(processes, items(wallets)));
    const measured: Expired[] = [];
    for (const [size, organizationId] of wallets) {
      progress.step(`a spend after ${size} holds have expired`);
      measured.push(await spendAfter(table, size, organizationId));
    }
    return measured;
  } finally {
    await processes.close();
  }
};

/** Of each organization: its wallet, with so many holds of a star that expired minutes ago. */
function* items(wallets: ReadonlyMap<number, string>): Generator<Item> {
  const [madeAt, expires_at] = [Date.now() - 10 * minute, Date.now() - 5 * minute];
  for (const [size, organizationId] of wallets) {
    let wallet: Wallet = { ...emptyWallet, pack_stars: 5000, opened_at: madeAt, at: madeAt };
    for (let i = 0; i < size; i++) {
      const hold_id = `hold-${i}`;
      const cause = { type: 'stars.held', event_id: hold_id, stars: 1, expires_at } as const;
      const step = apply(wallet, cause, madeAt);
      if (typeof step === 'string') throw new Error(step);
      wallet = step.wallet;
      const open = { hold_id, at: madeAt, reason: null, expires_at, lots: step.takenLots };
      yield putOpenHold(organizationId, open).Put.Item as Item;
    }
    yield walletItem(organizationId, wallet);
  }
}

const spendAfter = async (
  table: TableClient,
  holds: number,
  organization_id: string,
): Promise<Expired> => {
  const one = table.during({ deadline: Number.POSITIVE_INFINITY });
  const cost = { read: 0, write: 0, transactions: 0 };
  const counting =
    <A extends unknown[], T>(kind: 'read' | 'write', work: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      const before = one.units;
      const answer = await work(...given);
      cost[kind] += one.units - before;
      if (kind === 'write') cost.transactions++;
      return answer;
    };
  const counted = {
    deadline: one.deadline,
    get: counting('read', one.get.bind(one)),
    getAll: counting('read', one.getAll.bind(one)),
    query: counting('read', one.query.bind(one)),
    transact: counting('write', one.transact.bind(one)),
  };
  const startedAt = performance.now();
  const event = { type: 'stars.spent' as const, organization_id, event_id: randomUUID(), stars: 1 };
  const { refused } = await applyEvent(counted, event);
  if (refused) throw new Error(refused);
  return { holds, ...cost, milliseconds: performance.now() - startedAt };
};
