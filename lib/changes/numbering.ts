import { ApiError } from '../errors/errors.ts';
import { absent, all, compare, either, lacks, present } from '../table/condition.ts';
import { type ActionOf, type Grant, grantsOn } from '../table/grants.ts';
import { outbox } from '../table/keys.ts';
import type { ItemKey } from '../table/kind.ts';
import { ConflictError, isWriteConflict, retry } from '../table/retry.ts';
import type { Table, Write } from '../table/table.ts';
import { update } from '../table/write.ts';
import { feedHeadKind, feedIdOf } from './feed.ts';
import { type Entry, entryKey, entryName, noticeKeyOf, type OutboxItem } from './outbox.ts';

/** What numbering does with the table. */
export const numberingGrants = [
  'GetItem',
  ...grantsOn('UpdateItem', 'FEED#', ...Object.values(outbox)),
] as const satisfies Grant[];
export type NumberingTable = Table<ActionOf<(typeof numberingGrants)[number]>>;

/** The most items that a transaction numbers: the feed's head takes the last of its hundred places. */
export const mostAtOnce = 99;

/**
 * A change that is older when it is numbered is not sent to the bus: it is no news any more. The numbering function is
 * given the stream's records for the same time.
 */
export const freshnessMs = 4 * 60 * 60 * 1000;

/** Milliseconds to the next attempt, at most: few number one feed, and a transaction takes little time. */
const mostWaitMs = 100;

// docs/decisions/facts.md
/**
 * Gives each of an organization's entries, and its notices, the next number of the feed. Each gets one number, in
 * their order, and only after the entry before it of the same lead or wallet: if that has no number, it is numbered first.
 * Returns how many items were numbered. Others may number at the same time. Throws `write_conflict`, `unavailable`
 * or `timeout` where the time was too short; what was numbered until then is in the feed.
 */
export const numberChanges = async (
  table: NumberingTable,
  organizationId: string,
  entries: readonly Entry[],
): Promise<number> => {
  let numberedCount = 0;
  let rest = entries;
  while (rest.length > 0) {
    const chunk = rest.slice(0, mostAtOnce);
    const attempt = () => numberInTransaction(table, organizationId, chunk);
    const { itemCount, isWhole } = await retry(table, attempt, isWriteConflict, mostWaitMs);
    numberedCount += itemCount;
    if (isWhole) rest = rest.slice(chunk.length);
    if (rest.length > 0 && Date.now() > table.deadline) throw new ApiError('timeout');
  }
  return numberedCount;
};

/** Numbers as much of it as a transaction can. */
const numberInTransaction = async (
  table: NumberingTable,
  organizationId: string,
  wanted: readonly Entry[],
): Promise<{ itemCount: number; isWhole: boolean }> => {
  const feed = new Feed(table, organizationId);
  const before = wanted.map(({ pk, version }) => ({ pk, version: version - 1 }));
  await feed.read([...wanted, ...before.filter(({ version }) => version > 0)]);
  const open = await feed.readOpenEntries(wanted);
  await feed.read(open.entries);
  await feed.readNotices(open.entries);
  const { groups, isWhole } = feed.toGroups(open.entries);
  const keys = groups.flat();
  if (keys.length > 0) await table.transact(feed.writes(groups), { retryConflicts: false });
  return { itemCount: keys.length, isWhole: open.isWhole && isWhole };
};

/** An item that is to be numbered. */
interface Unnumbered {
  key: ItemKey<OutboxItem>;
  late: true | undefined;
  /** Milliseconds since the epoch: the `numbered_at` in the feed of the table from which this table was restored. */
  numberedBefore: number | undefined;
}

/** One organization's feed, as it was read for one attempt. */
class Feed {
  readonly #table: NumberingTable;
  readonly #organizationId: string;
  readonly #id: string;
  /** Undefined for what is not there. */
  readonly #items = new Map<string, OutboxItem | undefined>();
  /** The notices that are there, by their entries. */
  readonly #notices = new Map<string, ItemKey<OutboxItem>[]>();
  #head: { sequence: number; numbered_at: number } | undefined;

  constructor(table: NumberingTable, organizationId: string) {
    this.#table = table;
    this.#organizationId = organizationId;
    this.#id = feedIdOf(organizationId);
  }

  get #headKey() {
    return feedHeadKind.key({ organizationId: this.#organizationId, feedId: this.#id });
  }

  /** Reads the entries that were not read before, the first time together with the head. */
  async read(entries: readonly Entry[]): Promise<void> {
    const unread = new Map(
      entries
        .map((entry) => [entryName(entry), entry] as const)
        .filter(([n]) => !this.#items.has(n)),
    );
    if (unread.size === 0) return;
    const first = this.#head === undefined;
    const keys = [...unread.values()].map(entryKey);
    const headKey = first ? this.#headKey : undefined;
    const [head, ...items] = await this.#table.getAll([headKey, ...keys]);
    if (first) this.#head = head ?? { sequence: 0, numbered_at: 0 };
    [...unread.keys()].forEach((name, i) => {
      this.#items.set(name, items[i]);
    });
  }

  /** Entries without a number, in the order of what is wanted, each after those before it that have no number yet. */
  async readOpenEntries(wanted: readonly Entry[]): Promise<{ entries: Entry[]; isWhole: boolean }> {
    const open = wanted.filter((entry) => !this.#isDone(entry));
    const next = new Map<string, number>();
    for (const { pk, version } of open) {
      next.set(pk, Math.min(version, next.get(pk) ?? version));
    }
    await Promise.all(
      [...next].map(async ([pk, version]) => next.set(pk, await this.#firstOpen(pk, version))),
    );
    const entries: Entry[] = [];
    for (const { pk, version } of open) {
      for (let v = next.get(pk)!; v <= version; v++) {
        if (entries.length === mostAtOnce) return { entries, isWhole: false };
        entries.push({ pk, version: v });
        next.set(pk, v + 1);
      }
    }
    return { entries, isWhole: true };
  }

  /**
   * The first version without a number. `version` is known to have none. Each entry gets its number after the entry
   * before it, so a binary search finds the first in few steps.
   */
  async #firstOpen(pk: string, version: number): Promise<number> {
    let [done, open] = [0, version];
    for (let step = 1; open - done > 1; step *= 2) {
      const middle = Math.floor((done + open) / 2);
      const entry = { pk, version: done > 0 ? middle : Math.max(1, open - step) };
      await this.read([entry]);
      if (this.#isDone(entry)) done = entry.version;
      else open = entry.version;
    }
    return open;
  }

  /** Whether an entry has its number. A missing entry counts as numbered: it will never come, so nothing waits for it. */
  #isDone(entry: Entry): boolean {
    const item = this.#items.get(entryName(entry));
    return item === undefined || item.feed === this.#id;
  }

  /** A restore may part what was one transaction: nothing waits for a notice that is not there. */
  async readNotices(entries: readonly Entry[]): Promise<void> {
    const keys = entries.flatMap((entry) => {
      const noticeCount = this.#items.get(entryName(entry))?.notices ?? 0;
      return Array.from({ length: noticeCount }, (_, i) => ({
        name: entryName(entry),
        key: noticeKeyOf(this.#organizationId, entry, i),
      }));
    });
    if (keys.length === 0) return;
    const noticeItems = await this.#table.getAll(keys.map(({ key }) => key));
    for (const { name, key } of keys.filter((_, i) => noticeItems[i] !== undefined)) {
      this.#notices.set(name, [...(this.#notices.get(name) ?? []), key]);
    }
  }

  /** Groups of entries with their notices: as many as fit into a transaction. */
  toGroups(entries: readonly Entry[]): { groups: Unnumbered[][]; isWhole: boolean } {
    const groups: Unnumbered[][] = [];
    let size = 0;
    for (const entry of entries) {
      const item = this.#items.get(entryName(entry));
      if (!item) continue;
      // An item that had a number before a restore was sent then, by that number.
      const isLate =
        item.numbered_at !== undefined ||
        Date.now() - Date.parse(item.written_at ?? item.at) > freshnessMs;
      const notices = this.#notices.get(entryName(entry)) ?? [];
      const group = [entryKey(entry), ...notices].map((key) => ({
        key,
        late: isLate || undefined,
        numberedBefore: item.numbered_at,
      }));
      size += group.length;
      if (size > mostAtOnce) return { groups, isWhole: false };
      groups.push(group);
    }
    return { groups, isWhole: true };
  }

  /** Numbers all of them, if nobody else has numbered anything meanwhile. */
  writes(groups: readonly Unnumbered[][]): Write<'UpdateItem'>[] {
    const items = groups.flat();
    const { sequence: from, numbered_at: last } = this.#head ?? { sequence: 0, numbered_at: 0 };
    const now = Date.now();
    let numbered_at = last;
    const numbers = items.map((one, i) => {
      // Clocks of functions differ, and the times of numbers never go back. A restore makes no change later than it was.
      numbered_at = Math.max(one.numberedBefore ?? now, numbered_at);
      return this.#number(one, from + i + 1, numbered_at);
    });
    return [this.#moveHead(from, { sequence: from + items.length, numbered_at }), ...numbers];
  }

  #moveHead(from: number, to: { sequence: number; numbered_at: number }): Write<'UpdateItem'> {
    const condition = from === 0 ? absent : compare('sequence', '=', from);
    return update(this.#headKey, { set: to }, { condition, refused });
  }

  #number({ key, late }: Unnumbered, sequence: number, numbered_at: number): Write<'UpdateItem'> {
    const set = { feed: this.#id, sequence, numbered_at, ...(late && { late }) };
    const isOpen = either(lacks('feed'), compare('feed', '<>', this.#id));
    return update(key, { set }, { condition: all(present, isOpen), refused });
  }
}

const refused = () => new ConflictError();
