import * as z from 'zod/mini';
import { assertFilters } from '../../lib/fields/check.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { lead } from '../../lib/leads/lead.ts';
import { leadFilters, toFilters } from '../../lib/leads/lists/terms/parameters.ts';
import { assertNoLists } from '../../lib/leads/lists/unknown-lists.ts';
import { search } from '../../lib/leads/search/search.ts';
import { countWords, mostWords, parseTerms, type Term } from '../../lib/leads/search/words.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { text } from '../../lib/schema/fields.ts';
import { defaultLimit, limitParameter } from '../../lib/schema/pages.ts';
import { queryParameter } from '../../lib/schema/query-parameter.ts';

const mostFound = 50;

const q = () =>
  z.pipe(
    text(200),
    z.pipe(
      z.transform(parseTerms),
      z.custom<Term[]>().check(
        z.refine((terms) => terms.length > 0, { error: 'must have a letter or a digit' }),
        z.refine((terms) => countWords(terms) <= mostWords, {
          error: `must have at most ${mostWords} words`,
        }),
      ),
    ),
  );

export const operation = defineOperation({
  id: 'searchLeads',
  summary: 'Search leads',
  description:
    'Finds the leads that have every word of `q`, as a word or the beginning of one, in contact name, company, email or phone. Marks such as accents, strokes as in `ł`, and the case of letters do not matter. A phone number is found as people write it, with or without its country code, also by its last six digits or more. An email address is found whole, by its local part and by its domain. Leads with the whole words come first, then the newest. A request examines at most 1,000 items, and takes at most 250 read units: `more` is true where there are more, or may be more. A lead is found as soon as its write is answered.',
  method: 'GET',
  path: '/leads/search',
  permission: 'leads:read',
  request: {
    query: z.strictObject({
      q: z
        .optional(queryParameter(q()))
        .check(
          z.describe(
            'Words. Everything but letters and digits separates them. Without it, nothing is found.',
          ),
        ),
      limit: limitParameter(mostFound),
      ...leadFilters,
    }),
  },
  response: {
    status: 200,
    body: z
      .strictObject({
        items: z.array(lead).check(z.maxLength(mostFound)),
        more: z.boolean().check(z.describe('Whether there are more leads that match, or may be.')),
      })
      .check(z.meta({ id: 'LeadSearchResult' })),
  },
  errors: [],
  table: ['GetItem', 'Query'],

  async read(call, table) {
    const { organizationId, query } = call;
    const { q: terms = [], limit = defaultLimit, ...fields } = query;
    const filters = toFilters(fields, call);
    const [{ items, more }] = await Promise.all([
      search(table, organizationId, { terms, filters, limit }),
      assertFilters(table, organizationId, filters.fields),
    ]);
    if (items.length === 0 && !more) await assertNoLists(table, organizationId, filters);
    return { items, more };
  },

  handle: (_call, found) => ({ body: found }),
});

export const handler = serve(operation);
