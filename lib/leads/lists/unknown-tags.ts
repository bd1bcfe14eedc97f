import { ApiError } from '../../errors/errors.ts';
import { formOf, looksLikeList } from '../../schema/query-parameter.ts';
import type { Table } from '../../table/table.ts';
import { leadOfTagKind } from '../stored-lead.ts';

/**
 * Where no lead was found: throws `invalid_request` if a tag looks like a list of tags, as `a,b`, and no lead has it. A tag
 * may have a comma; so one that some lead has is no mistake.
 */
export const assertNoTagLists = async (
  table: Table<'Query'>,
  organizationId: string,
  tags: readonly string[],
): Promise<void> => {
  const doubtful = tags.filter(looksLikeList);
  const known = await Promise.all(doubtful.map((tag) => hasLead(table, organizationId, tag)));
  if (known.every(Boolean)) return;
  const message = `no lead has such a tag; several are written as ${formOf('tag', 'list')}`;
  throw new ApiError('invalid_request', { details: [{ path: 'tag', message }] });
};

/** Lists may lag: this does not. */
const hasLead = async (
  table: Table<'Query'>,
  organizationId: string,
  tag: string,
): Promise<boolean> => {
  const { items } = await table.query({
    condition: 'pk = :pk',
    values: { ':pk': leadOfTagKind.partition({ organizationId, tag }) },
    limit: 1,
    consistent: true,
  });
  return items.length > 0;
};
