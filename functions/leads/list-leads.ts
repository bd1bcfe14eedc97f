import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { findLeads, isLookup } from '../../lib/leads/find.ts';
import { externalId, lead, phone, tag } from '../../lib/leads/lead.ts';
import { listLeads, positionForm } from '../../lib/leads/list.ts';
import { type Filters, listIdentity } from '../../lib/leads/list-sources.ts';
import { listGrants } from '../../lib/leads/read-source.ts';
import { invalid } from '../../lib/operations/errors.ts';
import { defineOperation } from '../../lib/operations/operation.ts';
import { decodeCursor, encodeCursor } from '../../lib/schema/cursor.ts';
import { email, text, uuid } from '../../lib/schema/fields.ts';
import { defaultLimit, pageOf, pageQuery } from '../../lib/schema/pages.ts';
import { once } from '../../lib/schema/query.ts';

/**
 * A date and time with its offset, as milliseconds since the epoch. Leads are created at whole ones: what
 * is at a fraction of one or after it is at the next or after that.
 */
const moment = () =>
  z.pipe(
    z.iso.datetime({ offset: true }),
    z.transform((value: string) => {
      const hasFraction = /\.\d{3}\d*[1-9]/.test(value);
      return Math.max(0, Date.parse(value) + (hasFraction ? 1 : 0));
    }),
  );

const query = z.strictObject({
  ...pageQuery,
  pipeline_id: z.optional(once(uuid())),
  stage: z.optional(once(text(50))),
  owner_id: z.optional(once(uuid())),
  external_id: z.optional(once(externalId())).check(z.describe('Just this one.')),
  email: z.optional(once(email())).check(z.describe('Just this one, in any case of letters.')),
  phone: z.optional(once(phone())).check(z.describe('Just this one, in E.164 form.')),
  tag: z
    .optional(z.array(tag()).check(z.maxLength(20)))
    .check(z.describe('Repeatable: a lead must have all of them.')),
  created_from: z.optional(once(moment())).check(z.describe('Created then or later.')),
  created_to: z.optional(once(moment())).check(z.describe('Created before then.')),
});

export const operation = defineOperation({
  id: 'listLeads',
  summary: 'Lists leads, newest first, a page at a time.',
  description:
    'All filters that are given must hold. Pass `next_cursor` back as `cursor` with the same filters; it is `null` on the last page. With `tag` among other filters, a page may be short or empty before that. A list may lag a moment behind a write; not so with `external_id`, `email` or `phone`, which also may leave a page short where there are other filters.',
  method: 'GET',
  path: '/leads',
  permission: 'leads:read',
  request: { query },
  response: { status: 200, body: pageOf(lead) },
  errors: ['invalid_cursor'],
  table: ['BatchGetItem', ...listGrants],

  async read({ organizationId, query }, table) {
    const { cursor, limit = defaultLimit, tag: tags = [], ...fields } = query;
    const filters: Filters = { ...fields, tags };
    if (Number(fields.created_from) >= Number(fields.created_to)) {
      throw invalid('created_to', 'must be after created_from');
    }
    const list = listIdentity(organizationId, filters);
    const after = cursor === undefined ? undefined : decodeCursor(list, cursor, positionForm);
    const read = isLookup(filters) ? findLeads : listLeads;
    const { leads, next } = await read(table, organizationId, filters, limit, after);
    return { items: leads, next_cursor: next === undefined ? null : encodeCursor(list, next) };
  },

  handle: (_call, page) => ({ body: page }),
});

export const handler = serve(operation);
