import * as z from 'zod/mini';
import { hold, openHoldReply } from '../../lib/billing/holds/hold.ts';
import { toOpenHold } from '../../lib/billing/holds/open-holds.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { pageOf, pageQuery } from '../../lib/schema/pages.ts';
import { openHoldKey, openHoldPattern } from '../../lib/table/keys.ts';
import { readPage } from '../../lib/table/pages.ts';

export const operation = defineOperation({
  id: 'listHolds',
  summary: 'List open holds',
  description: 'Lists the open holds, the soonest to expire first, a page at a time.',
  method: 'GET',
  path: '/billing/holds',
  permission: 'stars:spend',
  request: { query: z.strictObject(pageQuery) },
  response: { status: 200, body: pageOf(hold) },
  errors: ['invalid_cursor'],
  table: ['Query'],

  // Those that have expired are there until the wallet changes next.
  read({ organizationId, query, now }, table) {
    const { pk, sk: from } = openHoldKey(organizationId, now + 1, '');
    const list = { pk, from, pattern: openHoldPattern };
    const toItem = (item: Parameters<typeof toOpenHold>[0]) => openHoldReply(toOpenHold(item));
    return readPage(table, { identity: [organizationId, 'listHolds'], ...list, toItem }, query);
  },

  handle: (_call, body) => ({ body }),
});

export const handler = serve(operation);
