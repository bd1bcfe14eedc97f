import type { Table } from '../../lib/table/table.ts';

// Compiled, never run: what an operation did not declare, it can't call.
export const declared = (
  reader: Table<'GetItem'>,
  lister: Table<'Query by_owner'>,
  writer: Table<'PutItem'>,
) => {
  const key = { pk: '', sk: '' };
  const query = { condition: '', values: {}, limit: 1 };

  void reader.get(key);
  void reader.getAll([key]);
  // @ts-expect-error: Query is not declared
  void reader.query(query);
  // @ts-expect-error: no write is declared
  void reader.transact([]);

  void lister.query({ ...query, index: 'by_owner' });
  // @ts-expect-error: another index is not declared
  void lister.query({ ...query, index: 'by_pipeline' });
  // @ts-expect-error: the table itself is not declared
  void lister.query(query);

  void writer.transact([{ Put: { Item: key } }]);
  // @ts-expect-error: DeleteItem is not declared
  void writer.transact([{ Delete: { Key: key } }]);
  // @ts-expect-error: nothing to read is declared
  void writer.get(key);
};
