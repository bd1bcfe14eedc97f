import { v5 } from 'uuid';
import { noticeKind } from '../billing/stored/notice.ts';
import { ledgerEntryKind, toLedgerEntry } from '../billing/stored/stored-entry.ts';
import { historyEntryKind } from '../leads/history.ts';
import { noteHistoryEntryKind } from '../leads/notes/note.ts';
import type { Key, outbox } from '../table/keys.ts';
import type { Kind } from '../table/kind.ts';
import type { IdsOf } from '../table/place.ts';
import { type Item, toKey } from '../table/table.ts';
import type { Change, ChangeType } from './change.ts';

const namespace = v5('leads-and-stars events', v5.URL);

/**
 * Of the item's place, type and time: a table that was restored can have another change in the same place,
 * which was made at another time.
 */
const eventId = ({ pk, sk }: Key, type: string, at: string): string =>
  v5(JSON.stringify([pk, sk, type, at]), namespace);

type Numbered = Key & {
  at: string;
  version: number;
  feed?: string | undefined;
  sequence?: number | undefined;
};

interface Cause<T extends ChangeType, U> {
  organizationId: string;
  type: T;
  userId: U;
}

/** What is told of each change. */
const toldOf = <const T extends ChangeType, U>(
  { pk, sk, at, version, feed, sequence }: Numbered,
  { organizationId, type, userId }: Cause<T, U>,
) => {
  if (feed === undefined || sequence === undefined) throw new Error(`${pk} ${sk} has no sequence`);
  return {
    event_id: eventId({ pk, sk }, type, at),
    sequence,
    feed_id: feed,
    type,
    at,
    organization_id: organizationId,
    user_id: userId,
    version,
  };
};

/** How the items of a kind are told. */
const telling = <P extends string, S extends string, A>(
  kind: Kind<P, S, A>,
  describe: (item: Key & A, ids: IdsOf<P> & IdsOf<S>) => Change,
) => ({
  prefix: kind.prefix,
  tell: (item: Item): Change => {
    const parsed = kind.parse(item);
    return describe(parsed, kind.idsOf(parsed));
  },
});

/** Of each kind in the outbox. */
const tellings: Record<keyof typeof outbox, { prefix: string; tell(item: Item): Change }> = {
  history: telling(historyEntryKind, (item, { organizationId, leadId }) => ({
    ...toldOf(item, { organizationId, type: item.type, userId: item.user_id }),
    lead_id: leadId,
    changes: item.changes,
    merged_from: item.merged_from,
    merged_into: item.merged_into,
    erased: item.erased,
  })),

  notes: telling(noteHistoryEntryKind, (item, { organizationId, leadId, noteId }) => ({
    ...toldOf(item, { organizationId, type: item.type, userId: item.user_id }),
    lead_id: leadId,
    note_id: noteId,
    text: item.text ?? null,
    erased: item.erased,
  })),

  ledger: telling(ledgerEntryKind, (item, { organizationId }) => {
    const { version, at, user_id, ...entry } = toLedgerEntry(item);
    return { ...toldOf(item, { organizationId, type: 'wallet.changed', userId: user_id }), entry };
  }),

  notices: telling(noticeKind, (item, { organizationId }) => {
    const cause = { organizationId, userId: null };
    if (item.type === 'stars.depleted') return toldOf(item, { ...cause, type: item.type });
    const { type, threshold, available_stars } = item;
    return { ...toldOf(item, { ...cause, type }), threshold, available_stars };
  }),
};

const tellingOf = (item: Item) => {
  const { pk } = toKey(item);
  const kind = Object.values(tellings).find(({ prefix }) => pk.startsWith(prefix));
  if (!kind) throw new Error(`no change is made of ${pk}`);
  return kind;
};

/** The change that a numbered item of the outbox is. Throws for any other: it must not pass for none. */
export const toChange = (item: Item): Change => tellingOf(item).tell(item);

/** Whether the change that an item is would be of one of these types: to describe it costs far more. */
export const isOfTypes = (item: Item, types: readonly ChangeType[]): boolean => {
  const type = tellingOf(item) === tellings.ledger ? 'wallet.changed' : item.type;
  return types.some((one) => one === type);
};
