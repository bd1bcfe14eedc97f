import * as z from 'zod/mini';
import { type Key, numberAttributes, ordinal, outbox, places } from '../table/keys.ts';
import { ItemKey } from '../table/kind.ts';
import { toKey } from '../table/table.ts';

/** A fact that has a number of its own, as an entry of a lead's history: its partition, and that number. */
export interface Entry {
  pk: string;
  version: number;
}

/** The places of facts that have a number of their own: all but notices. */
const factPlaces = Object.values(places).filter(
  ({ prefix }) => prefix !== outbox.notices && Object.values(outbox).some((one) => one === prefix),
);

/** The entry that an item of the outbox is. A notice belongs to its ledger entry. Undefined for any other item. */
export const outboxEntry = (key: Key): (Entry & { organizationId: string }) | undefined => {
  const notice = places.notice.find(key);
  const entry = notice ? places.ledgerEntry.key(notice) : key;
  for (const place of factPlaces) {
    const ids: Readonly<Record<string, string>> = place.find(entry) ?? {};
    const { organizationId, version } = ids;
    if (organizationId !== undefined) {
      return { organizationId, version: Number(version), pk: entry.pk };
    }
  }
  return undefined;
};

/** The entries that items of the outbox are or belong to, in their order, each once. */
export const entriesOf = (keys: readonly Key[]): Entry[] => {
  const entries = keys.map((key) => {
    const entry = outboxEntry(key);
    if (!entry) throw new Error(`${key.pk} is not in the outbox`);
    return { pk: entry.pk, version: entry.version };
  });
  return [...new Map(entries.map((entry) => [entryName(entry), entry])).values()];
};

export const entryName = ({ pk, version }: Entry): string => `${pk} ${version}`;

/** The attributes that numbering reads of an item of the outbox, whatever its kind. */
const outboxItem = z.object({
  ...numberAttributes,
  at: z.iso.datetime(),
  /** When the entry was written, if its own time is long before that. */
  written_at: z.optional(z.iso.datetime()),
  /** How many notices an entry has. */
  notices: z.optional(z.int()),
});
export type OutboxItem = z.output<typeof outboxItem>;

const outboxKey = (key: Key): ItemKey<OutboxItem> =>
  new ItemKey(key, {
    parse: (item) => ({ ...toKey(item), ...outboxItem.parse(item) }),
    store: (attributes) => attributes,
  });

export const entryKey = ({ pk, version }: Entry): ItemKey<OutboxItem> =>
  outboxKey({ pk, sk: ordinal(version) });

/** Notices go with a ledger entry, each with its index among those of that version. */
export const noticeKeyOf = (
  organizationId: string,
  { version }: Entry,
  index: number,
): ItemKey<OutboxItem> =>
  outboxKey(places.notice.key({ organizationId, version: ordinal(version), index: String(index) }));
