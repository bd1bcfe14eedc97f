import { ItemKey } from '../../lib/table/kind.ts';
import type { Key } from '../../lib/table/place.ts';
import type { Action, Item, Page, QueryInput, ReadAs, Table } from '../../lib/table/table.ts';

type MaybePromise<T> = T | Promise<T>;

/** A table of which only reads by key are asked: `read` gives what is stored. */
export const fakeReads = (read: (key: Key) => MaybePromise<Item | undefined>): Table<'GetItem'> => {
  const get = async (key: Key) => {
    const item = await read(key);
    return key instanceof ItemKey ? key.read(item) : item;
  };
  const getAll = (keys: readonly (Key | undefined)[]) =>
    Promise.all(keys.map((key) => key && get(key)));
  return { get, getAll, getAllEventually: getAll } as never;
};

/** A table of which only queries are asked. Unless told, they take no units. */
export const fakeQueries = <G extends Action = 'Query'>(
  query: (input: QueryInput<G>) => MaybePromise<Omit<Page, 'units'> & Partial<Page>>,
): Table<G> => {
  const typed = async ({ kind, ...input }: QueryInput<Action> & ReadAs<unknown>) => {
    const page = await query(input as never);
    return {
      units: 0,
      ...page,
      items: kind ? page.items.map((item) => kind.parse(item)) : page.items,
    };
  };
  return { query: typed } as never;
};
