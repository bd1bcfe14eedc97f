import { randomUUID } from 'node:crypto';
import type { LedgerEntry } from '../billing/stored/ledger-entry.ts';
import { ledgerEntryKind, toLedgerEntry } from '../billing/stored/stored-entry.ts';
import { withoutGap } from '../changes/feed.ts';
import { type Consumer, type ConsumerContext, follow } from '../consumers/consumer.ts';
import { noLease } from '../consumers/follower.ts';
import type { Wake } from '../queues/wakes.ts';
import type { ActionOf, Grant } from '../table/grants.ts';
import { ordinal } from '../table/keys.ts';
import { toKey } from '../table/place.ts';
import { retryOnConflict } from '../table/retry.ts';
import type { Table } from '../table/table.ts';
import { remove } from '../table/write.ts';
import { type Counted, countAnew, readCounted, usageConsumer, writeCounted } from './counted.ts';
import { addToSum, usageSumKind } from './sums.ts';
import { type Tally, tally } from './tally.ts';

// docs/decisions/usage.md

/** What counting does with the table. */
export const usageGrants = [
  'GetItem',
  'Query',
  'UpdateItem USAGE#',
  'DeleteItem USAGE#',
] as const satisfies Grant[];
export type UsageTable = Table<ActionOf<(typeof usageGrants)[number]>>;

/** Milliseconds after which a session begins no further transaction. */
const sessionMs = 20_000;
/** For how long a session that has more to count has the organization to itself, in milliseconds. */
const leaseMs = 12_000;
/** Entries that are read at once. */
const pageSize = 250;
/** Milliseconds after which a missing entry, before one that is there, never comes: a restore may have lost it. */
const settledMs = 15_000;

export interface UsageContext extends ConsumerContext {
  table: UsageTable;
  /** Told how old the oldest entry is that is not counted yet, in milliseconds. */
  onBehind: (milliseconds: number) => void;
}

/** Counts the entries of a wallet as usage, each in the transaction that moves the checkpoint over it: so exactly once. */
const usage: Consumer<Counted, UsageContext> = {
  name: usageConsumer,
  find: async ({ table }, organizationId) => [await readCounted(table, organizationId)],
  idOf: () => usageConsumer,

  async readHead({ table }, organizationId) {
    const { items } = await table.query({
      kind: ledgerEntryKind,
      condition: 'pk = :pk',
      values: { ':pk': ledgerEntryKind.partition({ organizationId }) },
      limit: 1,
      newestFirst: true,
      consistent: true,
    });
    return items[0]?.version ?? 0;
  },

  hasWork: ({ checkpoint, former_sums }, head) => head > checkpoint || former_sums.length > 0,
  // Whoever numbers entries sends a wake until the queue has it: so nothing is looked for by the clock.
  isDueElse: () => false,

  work: ({ table, now, onBehind }, organizationId, counted) => {
    const session = new Session({ table, now, onBehind }, organizationId);
    const read = () => readCounted(table, organizationId);
    return retryOnConflict(table, counted, read, (latest) => session.count(latest));
  },

  async meetOtherFeed({ table, wakes }, organizationId, counted) {
    await table.transact([countAnew(organizationId, counted)]);
    await wakes.send({ organization_id: organizationId, consumer: usageConsumer });
  },
};

/** Counts what there is, of an organization that a wake names. */
export const countUsage = (
  context: UsageContext,
  wake: Wake,
  isRedelivered: boolean,
): Promise<void> => follow(usage, context, wake, isRedelivered);

/** One worker's time with the usage of one organization. */
class Session {
  readonly #context: Pick<UsageContext, 'table' | 'now' | 'onBehind'>;
  readonly #organizationId: string;
  readonly #token = randomUUID();
  readonly #endsAt: number;
  #isFirst = true;

  constructor(context: Pick<UsageContext, 'table' | 'now' | 'onBehind'>, organizationId: string) {
    this.#context = context;
    this.#organizationId = organizationId;
    this.#endsAt = context.now() + sessionMs;
  }

  /** Throws `ConflictError` where another session wrote since `counted` was read. */
  async count(before: Counted): Promise<void> {
    const { lease_token: token, lease_until: until = 0 } = before;
    // Another session is at it, and looks again once it is done.
    if (token !== this.#token && until > this.#context.now()) return;
    let counted = before;
    let page = await this.#read(counted.checkpoint);
    while (page.entries.length > 0) {
      const { entries, sums } = tally(page.entries);
      const rest = page.entries.slice(entries);
      const isLast = (rest.length === 0 && !page.isMore) || !this.#hasTime;
      counted = await this.#write(counted, page.entries[entries - 1]!, sums, isLast);
      if (isLast) break;
      page = rest.length > 0 ? { ...page, entries: rest } : await this.#read(counted.checkpoint);
    }
    await this.#end(counted);
  }

  get #hasTime(): boolean {
    return this.#context.now() < this.#endsAt;
  }

  /** The entries after a version, and whether there are more. */
  async #read(after: number): Promise<{ entries: LedgerEntry[]; isMore: boolean }> {
    const { items, last } = await this.#context.table.query({
      kind: ledgerEntryKind,
      condition: 'pk = :pk AND sk > :after',
      values: {
        ':pk': ledgerEntryKind.partition({ organizationId: this.#organizationId }),
        ':after': ordinal(after),
      },
      limit: pageSize,
      consistent: true,
    });
    const entries = this.#inOrder(after, items.map(toLedgerEntry));
    const [first] = entries;
    if (this.#isFirst && first) {
      this.#context.onBehind(this.#context.now() - writtenAt(first));
      this.#isFirst = false;
    }
    return { entries, isMore: last !== undefined && entries.length === items.length };
  }

  /** The entries that follow a version without a gap. An entry that is missing before an old one is gone, and nothing waits for it. */
  #inOrder(after: number, all: readonly LedgerEntry[]): LedgerEntry[] {
    const settled = all.findLastIndex(
      (entry) => writtenAt(entry) < this.#context.now() - settledMs,
    );
    const old = all.slice(0, settled + 1);
    const next = withoutGap(
      old.at(-1)?.version ?? after,
      all.slice(settled + 1).map((entry) => ({ sequence: entry.version, entry })),
    );
    return [...old, ...next.map(({ entry }) => entry)];
  }

  /** Adds to sums, and moves the checkpoint to the last entry that is in them. Where more is to come, it keeps the lease. */
  async #write(before: Counted, last: LedgerEntry, sums: Tally['sums'], isLast: boolean) {
    const organizationId = this.#organizationId;
    const { sums_id: sumsId } = before;
    const lease = { lease_token: this.#token, lease_until: this.#context.now() + leaseMs };
    const set = {
      checkpoint: last.version,
      counted_until: last.at,
      ...(isLast ? noLease : lease),
    };
    await this.#context.table.transact(
      [
        writeCounted(organizationId, before, set),
        ...sums.map(({ ids, used }) => addToSum({ organizationId, sumsId, ...ids }, used)),
      ],
      { retryConflicts: false },
    );
    return { ...before, ...set, revision: before.revision + 1 };
  }

  /** Deletes sums that are told no more, as far as there is time, and gives the lease back. */
  async #end(counted: Counted): Promise<void> {
    const left = [...counted.former_sums];
    while (left[0] !== undefined && this.#hasTime) {
      if (!(await this.#deleteSums(left[0]))) left.shift();
    }
    if (left.length === counted.former_sums.length && !counted.lease_token) return;
    const set = { former_sums: left, ...noLease };
    await this.#context.table.transact([writeCounted(this.#organizationId, counted, set)]);
  }

  /** Deletes some of the sums with an id; false where there were none. */
  async #deleteSums(sumsId: string): Promise<boolean> {
    const { table } = this.#context;
    const { items } = await table.query({
      condition: 'pk = :pk',
      values: { ':pk': usageSumKind.partition({ organizationId: this.#organizationId, sumsId }) },
      limit: 100,
      consistent: true,
    });
    const keys = items.map((item) => usageSumKind.key(usageSumKind.idsOf(toKey(item))));
    if (keys.length > 0) await table.transact(keys.map((key) => remove(key)));
    return keys.length > 0;
  }
}

/** When an entry was written, in milliseconds since the epoch: what the clock did has the time of long ago. */
const writtenAt = ({ at, written_at }: LedgerEntry): number => Date.parse(written_at ?? at);
