import { invalid } from '../errors/errors.ts';
import { sortFields } from '../fields/check.ts';
import type { FieldValues } from '../fields/values.ts';
import { type Lead, leadFieldNames, leadFields, monotonicTime } from './lead.ts';
import type { StoredLead } from './stored-lead.ts';
import { mostTags } from './tags.ts';

type Fielded = Pick<StoredLead, 'lead' | 'filterable'>;

/**
 * One lead of two. The survivor keeps what it has; what is empty comes from the other, custom fields one by one.
 * It has the tags of both. Throws `invalid_request` if tags or custom fields would be more than a lead can have.
 */
export const mergeFields = (survivor: Fielded, other: Fielded, now: number): Fielded => {
  const fields = Object.fromEntries(
    leadFieldNames.map((name) => [name, mergeField(name, survivor.lead[name], other.lead[name])]),
  );
  const otherMs = Date.parse(other.lead.updated_at);
  const updated_at = monotonicTime(survivor.lead.updated_at, Math.max(now, otherMs));
  const lead = { ...survivor.lead, ...fields, updated_at } as Lead;
  assertTags(lead);
  // Whether leads are listed by a field is the same for all leads.
  const filterable = [...new Set([...survivor.filterable, ...other.filterable])].sort();
  return { lead, filterable };
};

const mergeField = (name: keyof typeof leadFields, own: unknown, others: unknown): unknown => {
  const { empty } = leadFields[name];
  if (Array.isArray(empty)) return [...new Set([...(own as string[]), ...(others as string[])])];
  if (empty !== null && typeof empty === 'object') {
    return sortFields(Object.entries({ ...(others as FieldValues), ...(own as FieldValues) }));
  }
  return own ?? others;
};

const assertTags = ({ tags }: Lead): void => {
  if (tags.length <= mostTags) return;
  throw invalid('tags', `would be ${tags.length}, and a lead has at most ${mostTags}`);
};
