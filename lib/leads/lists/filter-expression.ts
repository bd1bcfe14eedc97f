import { parseFilterText } from '../../fields/check.ts';
import type { LeadIndexField } from '../../table/indexes/lead-indexes.ts';
import { absentIn, type Filters } from './terms/filters.ts';

/** An expression for DynamoDB, with what it names. */
export interface Expression {
  filter: string;
  names: Record<string, string>;
  values: Record<string, unknown>;
}

/**
 * The condition that each item of a partition must meet; empty if the partition is the list. `own` are the fields that all its
 * items have as the filters say.
 */
export const filterExpression = (
  filters: Filters,
  own: readonly LeadIndexField[],
  tags: readonly string[],
  custom: readonly [key: string, value: string][],
): { filter?: Expression } => {
  const conditions: string[] = [];
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  for (const field of ['pipeline_id', 'owner_id'] as const) {
    if (!filters[field] || own.includes(field)) continue;
    conditions.push(`#${field} = :${field}`);
    names[`#${field}`] = field;
    values[`:${field}`] = filters[field];
  }
  if (filters.stages && !own.includes('stage')) {
    const options = filters.stages.map((stage, i) => {
      values[`:stage${i}`] = stage;
      return `:stage${i}`;
    });
    conditions.push(`#stage IN (${options.join(', ')})`);
    names['#stage'] = 'stage';
  }
  for (const field of absentIn(filters)) {
    conditions.push(`attribute_not_exists(#${field})`);
    names[`#${field}`] = field;
  }
  tags.forEach((tag, i) => {
    conditions.push(`contains(#tags, :tag${i})`);
    names['#tags'] = 'tags';
    values[`:tag${i}`] = tag;
  });
  custom.forEach(([key, value], i) => {
    // The type of the field says which of these it can be.
    const options = parseFilterText(value).map((one, n) => {
      values[`:custom${i}_${n}`] = one;
      return `#fields.#custom${i} = :custom${i}_${n}`;
    });
    conditions.push(`(${options.join(' OR ')})`);
    names['#fields'] = 'fields';
    names[`#custom${i}`] = key;
  });
  if (conditions.length === 0) return {};
  return { filter: { filter: conditions.join(' AND '), names, values } };
};
