import type { Table } from '../../lib/table/table.ts';

// Compiled, never run: what an operation did not declare, it can't call.
export const declared = (
  reader: Table<'GetItem'>,
  lister: Table<'Query by_owner'>,
  writer: Table<'PutItem'>,
) => {
  const key = { pk: '', sk: '' };
  const query = { condition: '', values: {}, limit: 1 };

  reader.get(key);
  reader.getAll([key]);
  // @ts-expect-error: Query is not declared
  reader.query(query);
  // @ts-expect-error: no write is declared
  reader.transact([]);

  lister.query({ ...query, index: 'by_owner' });
  // @ts-expect-error: another index is not declared
  lister.query({ ...query, index: 'by_pipeline' });
  // @ts-expect-error: the table itself is not declared
  lister.query(query);

  writer.transact([{ Put: { Item: key } }]);
  // @ts-expect-error: DeleteItem is not declared
  writer.transact([{ Delete: { Key: key } }]);
  // @ts-expect-error: nothing to read is declared
  writer.get(key);
};
