import {
  historyKey,
  type Key,
  noteChangeKey,
  noteKey,
  outbox,
  parseTrace,
  traceKey,
} from '../../table/keys.ts';
import { retryOnConflict } from '../../table/retry.ts';
import type { Item, Reader } from '../../table/table.ts';
import { putErasure } from '../history.ts';
import type { LeadWrite, TimedWriter } from '../lead-writes.ts';
import { readLastEntry } from '../survivor.ts';
import {
  distinctRecords,
  emptyRecord,
  type RecordRef,
  recordOfEntry,
  recordOfTrace,
} from './erase-idempotency-records.ts';

type ContentTable = Reader<'GetItem' | 'Query'>;

/** Items that lose their content at once, each with the record that it names: 4 MB at most fit. */
const itemsAtOnce = 20;

/** An item that loses its content, and an idempotency record that has the same. */
interface ContentRemoval {
  write: LeadWrite;
  record?: RecordRef | undefined;
}

/** What is still told of leads that are gone: by their histories, their notes, and idempotency records. */
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

  /** Removes as much as there is time for. Says whether there was anything. */
  async remove(leadId: string): Promise<boolean> {
    try {
      await this.#removeOf(leadId);
      return this.#hasContent;
    } catch (error) {
      if (error instanceof OutOfTime) return true;
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
    const { pk } = historyKey(this.#call.organizationId, leadId, 0);
    const open = 'attribute_not_exists(erased)';
    const merged = 'attribute_exists(merged_from) AND attribute_not_exists(merged_erased)';
    for await (const items of this.#pages(pk, `${open} OR (${merged})`)) {
      await this.#empty(items.filter(({ erased }) => !erased).map((item) => this.#entry(item)));
      for (const { sk, merged_from } of items.filter((item) => item.merged_from)) {
        await this.#removeMerged(String(merged_from));
        await this.#empty([{ write: markMergeErased({ pk, sk: String(sk) }) }]);
      }
    }
  }

  async #removeMerged(leadId: string): Promise<void> {
    const read = () => readLastEntry(this.#table, this.#call.organizationId, leadId);
    await retryOnConflict(this.#table, await read(), read, async (last) => {
      if (!last || last.type === 'lead.erased') return;
      this.#hasContent = true;
      await this.#write([putErasure(this.#call, leadId, last)]);
    });
    await this.#removeOf(leadId);
  }

  async #removeNotes(leadId: string): Promise<void> {
    const { pk } = noteKey(this.#call.organizationId, leadId, '');
    for await (const items of this.#pages(pk)) {
      for (const chunk of toChunks(items)) {
        await Promise.all(chunk.map(({ sk }) => this.#emptyNote(leadId, String(sk))));
        await this.#empty(chunk.map((item) => ({ write: deleteItem(item) })));
      }
    }
  }

  async #emptyNote(leadId: string, noteId: string): Promise<void> {
    const { pk } = noteChangeKey(this.#call.organizationId, leadId, noteId, 0);
    for await (const items of this.#pages(pk, 'attribute_not_exists(erased)')) {
      await this.#empty(items.map((item) => this.#entry(item)));
    }
  }

  async #followTraces(leadId: string): Promise<void> {
    const { organizationId } = this.#call;
    const { pk } = traceKey(organizationId, leadId, '');
    for await (const items of this.#pages(pk)) {
      for (const chunk of toChunks(items)) {
        const traces = chunk.map((item) => ({
          item,
          ...parseTrace(organizationId, String(item.sk)),
        }));
        const notes = traces.flatMap((trace) => ('noteId' in trace ? trace.noteId : []));
        await Promise.all(notes.map((id) => this.#emptyNote(leadId, id)));
        await this.#empty(
          traces.map(({ item, ...trace }) => ({
            write: deleteItem(item),
            ...('record' in trace && { record: recordOfTrace(trace.record, item) }),
          })),
        );
      }
    }
  }

  #entry(item: Item): ContentRemoval {
    return {
      write: emptyEntry({ pk: String(item.pk), sk: String(item.sk) }),
      record: recordOfEntry(this.#call.organizationId, item),
    };
  }

  /** Empties items together with their idempotency records: what names a record goes when the record is empty. */
  async #empty(all: readonly ContentRemoval[]): Promise<void> {
    for (const chunk of toChunks(all)) {
      if (Date.now() > this.#table.deadline) throw new OutOfTime();
      this.#hasContent = true;
      const refs = distinctRecords(chunk.flatMap(({ record }) => record ?? []));
      const read = () => this.#table.getAll(refs.map(({ record }) => record));
      await retryOnConflict(this.#table, await read(), read, (records) =>
        this.#write([
          ...chunk.map(({ write }) => write),
          ...refs.flatMap((ref, i) => emptyRecord(ref, records[i])),
        ]),
      );
    }
  }

  async *#pages(pk: string, filter?: string): AsyncGenerator<Item[]> {
    let last: Item | undefined;
    do {
      if (Date.now() > this.#table.deadline) throw new OutOfTime();
      const page = await this.#table.query({
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

const deleteItem = ({ pk, sk }: Item): LeadWrite => ({
  Delete: { Key: { pk: String(pk), sk: String(sk) } },
});

/** An entry of the outbox without what it told. */
const emptyEntry = (Key: Key): LeadWrite => {
  const isNote = Key.pk.startsWith(outbox.notes);
  return {
    Update: {
      Key,
      UpdateExpression: `SET erased = :true${isNote ? '' : ', changes = :none'} REMOVE #record${isNote ? ', #text' : ''}`,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#record': 'record', ...(isNote && { '#text': 'text' }) },
      ExpressionAttributeValues: { ':true': true, ...(!isNote && { ':none': [] }) },
    },
  };
};

/** Says of the entry of a merge that nothing is left of the lead that was merged. */
const markMergeErased = (Key: Key): LeadWrite => ({
  Update: {
    Key,
    UpdateExpression: 'SET merged_erased = :true',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':true': true },
  },
});

class OutOfTime extends Error {}
