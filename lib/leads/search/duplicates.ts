import * as z from 'zod/mini';
import type { Table } from '../../table/table.ts';
import { isSameContact } from '../contacts.ts';
import { type Lead, lead } from '../lead.ts';
import { findLeads } from '../lists/find.ts';
import { search } from './search.ts';
import { mostWords, splitWords } from './words.ts';

/** Leads that are told at most. */
const mostDuplicates = 20;
/** Items of words and leads that the search by name examines at most: with those of contacts they are below 200. */
const mostItemsOfNames = 100;

const reasons = ['email', 'phone', 'name'] as const;
type Reason = (typeof reasons)[number];

/** The reply of `GET /leads/{lead_id}/duplicates`. */
export const duplicates = z
  .strictObject({
    items: z
      .array(
        z.strictObject({
          lead,
          same: z
            .array(z.enum(reasons))
            .check(
              z.minLength(1),
              z.maxLength(reasons.length),
              z.describe(
                'What is the same. `name`: it has all words of the contact name, and of the company, if both have one.',
              ),
            ),
        }),
      )
      .check(z.maxLength(mostDuplicates)),
    more: z.boolean().check(z.describe('Whether there are more, or may be.')),
  })
  .check(z.meta({ id: 'LeadDuplicates' }));

/** Leads of any pipeline that may be the same person, those with more in common first, then the newest. Strongly consistent. */
export const findDuplicates = async (
  table: Table<'GetItem' | 'Query'>,
  organizationId: string,
  one: Lead,
): Promise<z.output<typeof duplicates>> => {
  const byContact = (['email', 'phone'] as const).flatMap((field) => {
    const value = one[field];
    // The lead itself has it, too.
    return value === null
      ? []
      : findLeads(table, organizationId, { tags: [], [field]: value }, mostDuplicates + 1);
  });
  const words = [...new Set(splitWords(one.contact_name))].slice(0, mostWords);
  const byName = search(table, organizationId, {
    terms: words.map((word) => ({ words: [word], others: [] })),
    filters: { tags: [] },
    limit: mostItemsOfNames / 2,
    mostItems: mostItemsOfNames,
  });
  const [named, ...shared] = await Promise.all([byName, ...byContact]);
  const found = [...shared.flatMap(({ leads }) => leads), ...named.items];
  const others = new Map(found.map((other) => [other.id, other]));
  const isSame: Record<Reason, (other: Lead) => boolean> = {
    email: (other) => isSameContact('email', one, other),
    phone: (other) => isSameContact('phone', one, other),
    name: sameNameAs(one),
  };
  const items = [...others.values()]
    .filter(({ id }) => id !== one.id)
    .map((other) => ({ lead: other, same: reasons.filter((reason) => isSame[reason](other)) }))
    .filter(({ same }) => same.length > 0)
    .sort((a, b) => b.same.length - a.same.length || (a.lead.id < b.lead.id ? 1 : -1));
  const isCut = named.more || shared.some(({ next }) => next !== undefined);
  return {
    items: items.slice(0, mostDuplicates),
    more: isCut || items.length > mostDuplicates,
  };
};

/** Whether another lead has all words of this lead's contact name, and of its company, if both have a company. */
const sameNameAs = ({ contact_name, company_name }: Lead): ((other: Lead) => boolean) => {
  const [name, company] = [contact_name, company_name ?? ''].map(splitWords);
  return (other) => {
    const words = splitWords(`${other.contact_name} ${other.company_name ?? ''}`);
    const hasAll = (some: readonly string[] = []) => some.every((word) => words.includes(word));
    return hasAll(name) && (other.company_name === null || hasAll(company));
  };
};
