import { ApiError } from '../../errors/errors.ts';
import { recordTraceKind } from '../../operations/idempotency-record.ts';
import { present } from '../../table/condition.ts';
import { type Grant, grantsOn } from '../../table/grants.ts';
import type { Key } from '../../table/keys.ts';
import type { ItemOf } from '../../table/kind.ts';
import { retryOnConflict } from '../../table/retry.ts';
import { type Item, type Reader, toKey } from '../../table/table.ts';
import { remove, update, withoutFact } from '../../table/write.ts';
import { changesOfErased, erasureFact, historyEntryKind } from '../history.ts';
import type { LeadWrite, TimedWriter } from '../lead-writes.ts';
import { noteHistoryEntryKind, noteKind, noteTraceKind } from '../notes/note.ts';
import { readLastEntry } from '../survivor.ts';
import {
  distinctRecords,
  emptyRecord,
  type RecordRef,
  recordOfEntry,
  recordOfTrace,
} from './erase-idempotency-records.ts';

/** The grants of `ContentOfLeads`. */
export const contentGrants = [
  ...grantsOn('UpdateItem', 'HISTORY#', 'NOTE_HISTORY#', 'IDEMPOTENCY#'),
  ...grantsOn('DeleteItem', 'NOTES#', 'TRACES#'),
] as const satisfies Grant[];

type ContentTable = Reader<'GetItem' | 'Query'>;

/** Items that lose their content at once, each with the record that it names: 4 MB at most fit. */
const itemsAtOnce = 20;

/** An item that loses its content, and an idempotency record that has the same. */
interface ContentRemoval {
  write: LeadWrite;
  record?: RecordRef | undefined;
}

/** The content of leads that are gone: in their histories, their notes, and idempotency records. */
export class ContentOfLeads {
  readonly #call: TimedWriter;
  readonly #table: ContentTable;
  readonly #write: (writes: LeadWrite[]) => Promise<void>;
  #hasContent = false;

  constructor(
    call: TimedWriter,
    table: ContentTable,
    write: (writes: LeadWrite[]) => Promise<void>,
  ) {
    this.#call = call;
    this.#table = table;
    this.#write = write;
  }

  /** Removes as much as there is time for, and as the limit of requests lets. Says whether there was anything. */
  async remove(leadId: string): Promise<boolean> {
    try {
      await this.#removeOf(leadId);
      return this.#hasContent;
    } catch (error) {
      if (error instanceof OutOfTime || isRateLimited(error)) return true;
      throw error;
    }
  }

  async #removeOf(leadId: string): Promise<void> {
    await this.#emptyHistory(leadId);
    await this.#removeNotes(leadId);
    await this.#followTraces(leadId);
  }

  /** Each entry keeps its number in the feed. What was merged into the lead is of the same person. */
  async #emptyHistory(leadId: string): Promise<void> {
    const { organizationId } = this.#call;
    const pk = historyEntryKind.partition({ organizationId, leadId });
    const merged = 'attribute_exists(merged_from) AND attribute_not_exists(merged_erased)';
    const filter = `attribute_not_exists(erased) OR (${merged})`;
    for await (const items of this.#pages(historyEntryKind, pk, filter)) {
      const open = items.filter(({ erased }) => !erased);
      await this.#empty(
        open.map((item) => ({
          write: emptyHistoryEntry(item),
          record: recordOfEntry(organizationId, item),
        })),
      );
      for (const item of items) {
        if (item.merged_from === undefined) continue;
        await this.#removeMerged(item.merged_from);
        await this.#empty([{ write: markMergeErased(item) }]);
      }
    }
  }

  async #removeMerged(leadId: string): Promise<void> {
    const read = () => readLastEntry(this.#table, this.#call.organizationId, leadId);
    await retryOnConflict(this.#table, await read(), read, async (last) => {
      if (!last || last.type === 'lead.erased') return;
      this.#hasContent = true;
      await this.#write([erasureFact(this.#call, leadId, last)]);
    });
    await this.#removeOf(leadId);
  }

  async #removeNotes(leadId: string): Promise<void> {
    const pk = noteKind.partition({ organizationId: this.#call.organizationId, leadId });
    for await (const items of this.#pages(noteKind, pk)) {
      for (const chunk of toChunks(items)) {
        await Promise.all(chunk.map(({ sk }) => this.#emptyNote(leadId, sk)));
        // The entry of the lead's erasure tells of its notes, too.
        await this.#empty(
          chunk.map((item) => ({
            write: withoutFact(remove(noteKind.key(noteKind.idsOf(item)), { was: item })),
          })),
        );
      }
    }
  }

  async #emptyNote(leadId: string, noteId: string): Promise<void> {
    const { organizationId } = this.#call;
    const pk = noteHistoryEntryKind.partition({ organizationId, leadId, noteId });
    const filter = 'attribute_not_exists(erased)';
    for await (const items of this.#pages(noteHistoryEntryKind, pk, filter)) {
      await this.#empty(
        items.map((item) => ({
          write: emptyNoteEntry(item),
          record: recordOfEntry(organizationId, item),
        })),
      );
    }
  }

  async #followTraces(leadId: string): Promise<void> {
    const { organizationId } = this.#call;
    const pk = noteTraceKind.partition({ organizationId, leadId });
    for await (const items of this.#pages(trace, pk)) {
      for (const chunk of toChunks(items)) {
        await Promise.all(
          chunk.map(({ noteId }) => noteId !== undefined && this.#emptyNote(leadId, noteId)),
        );
        await this.#empty(chunk);
      }
    }
  }

  /** Together with the idempotency records: what names a record goes when the record is empty. */
  async #empty(all: readonly ContentRemoval[]): Promise<void> {
    for (const chunk of toChunks(all)) {
      if (Date.now() > this.#table.deadline) throw new OutOfTime();
      this.#hasContent = true;
      const refs = distinctRecords(chunk.flatMap(({ record }) => record ?? []));
      const read = () => this.#table.getAll(refs.map(({ key }) => key));
      await retryOnConflict(this.#table, await read(), read, (records) =>
        this.#write([
          ...chunk.map(({ write }) => write),
          ...refs.flatMap((ref, i) => emptyRecord(ref, records[i])),
        ]),
      );
    }
  }

  async *#pages<T>(
    kind: { parse(item: Item): T },
    pk: string,
    filter?: string,
  ): AsyncGenerator<T[]> {
    let last: Item | undefined;
    do {
      if (Date.now() > this.#table.deadline) throw new OutOfTime();
      const page = await this.#table.query({
        kind,
        condition: 'pk = :pk',
        ...(filter && { filter }),
        values: { ':pk': pk },
        limit: 1000,
        startAfter: last,
        consistent: true,
      });
      yield page.items;
      last = page.last;
    } while (last);
  }
}

const toChunks = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / itemsAtOnce) }, (_, i) =>
    all.slice(i * itemsAtOnce, (i + 1) * itemsAtOnce),
  );

/** The thing that a trace leads to: a deleted note, or an idempotency record. */
const trace = {
  parse(item: Item): ContentRemoval & { noteId?: string } {
    const ids = noteTraceKind.find(toKey(item));
    if (ids) return { noteId: ids.noteId, write: remove(noteTraceKind.key(ids)) };
    const found = recordTraceKind.parse(item);
    const key = recordTraceKind.key(recordTraceKind.idsOf(found));
    return { write: remove(key), record: recordOfTrace(found) };
  },
};

const historyEntryKey = (key: Key) => historyEntryKind.key(historyEntryKind.idsOf(key));

/** An entry of a lead without what it told of the person. */
const emptyHistoryEntry = (entry: ItemOf<typeof historyEntryKind>): LeadWrite =>
  update(
    historyEntryKey(entry),
    { set: { erased: true, changes: changesOfErased(entry.changes) }, remove: ['record'] },
    { condition: present, was: entry },
  );

/** An entry of a note without what it told. */
const emptyNoteEntry = (entry: Key): LeadWrite =>
  update(
    noteHistoryEntryKind.key(noteHistoryEntryKind.idsOf(entry)),
    { set: { erased: true }, remove: ['record', 'text'] },
    { condition: present, was: entry },
  );

/** Says of the entry of a merge that nothing is left of the lead that was merged. */
const markMergeErased = (entry: Key): LeadWrite =>
  update(historyEntryKey(entry), { set: { merged_erased: true } }, { condition: present });

class OutOfTime extends Error {}

/** Whether the organization is over its limit by now: the rest is left to a repeat, as where the time is up. */
const isRateLimited = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'rate_limited';
