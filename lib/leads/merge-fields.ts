import { invalid } from '../errors/errors.ts';
import { sortFields } from '../fields/check.ts';
import { type Lead, leadFieldNames, monotonicTime } from './lead.ts';
import type { StoredLead } from './stored-lead.ts';
import { mostTags } from './tags.ts';

type Fielded = Pick<StoredLead, 'lead' | 'filterable'>;

/**
 * The lead that two leads become. The survivor keeps what it has; what is empty comes from the other, custom fields one
 * by one. It has the tags of both. Throws `invalid_request` if tags or custom fields would be more than a lead can have.
 */
export const mergeFields = (survivor: Fielded, other: Fielded, now: number): Fielded => {
  assertTags(survivor.lead, other.lead);
  const fields = Object.fromEntries(
    leadFieldNames.map((name) => [name, mergeField(survivor.lead[name], other.lead[name])]),
  );
  const otherMs = Date.parse(other.lead.updated_at);
  const updated_at = monotonicTime(survivor.lead.updated_at, Math.max(now, otherMs));
  return {
    lead: { ...survivor.lead, ...fields, updated_at },
    // Whether leads are listed by a field is the same for all leads.
    filterable: [...new Set([...survivor.filterable, ...other.filterable])].sort(),
  };
};

type Value = Lead[keyof Lead];

const mergeField = (own: Value, others: Value): Value => {
  if (own === null || typeof own !== 'object') return own ?? others;
  if (others === null || typeof others !== 'object') return own;
  if (!Array.isArray(own)) return sortFields(Object.entries({ ...others, ...own }));
  return Array.isArray(others) ? [...new Set([...own, ...others])] : own;
};

const assertTags = (survivor: Lead, other: Lead): void => {
  const { size } = new Set([...survivor.tags, ...other.tags]);
  if (size > mostTags)
    throw invalid('tags', `would be ${size}, and a lead has at most ${mostTags}`);
};
