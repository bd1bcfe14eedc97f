import { type Change, type ChangesOptions, readChanges } from '../changes.ts';
import type { Client } from '../client.ts';
import { wait } from '../retry.ts';
import type { Connection } from './connection.ts';

interface ListPage<T> {
  data: { items: T[]; next_cursor: string | null };
}
interface PageQuery {
  limit: number;
  cursor?: string;
}
type ReadPage<T> = (client: Client, query: PageQuery) => Promise<ListPage<T>>;

/** A list, page by page. */
export async function* pagesOf<T>(connection: Connection, read: ReadPage<T>): AsyncGenerator<T[]> {
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query: PageQuery = { limit: 200, ...(cursor && { cursor }) };
    const { data }: ListPage<T> = await connection.send((client) => read(client, query));
    yield data.items;
    cursor = data.next_cursor ?? undefined;
  }
}

/** The changes of the feed, in their order. */
export const changesOf = (
  connection: Connection,
  options: ChangesOptions,
): AsyncGenerator<Change> =>
  readChanges(
    (query) => connection.send(async (client) => (await client.get('/changes', { query })).data),
    wait,
    options,
  );
