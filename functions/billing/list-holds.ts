import * as z from 'zod/mini';
import { hold, openHoldReply } from '../../lib/billing/holds/hold.ts';
import {
  openHoldKind,
  openHoldPattern,
  openHoldsAfter,
  toOpenHold,
} from '../../lib/billing/stored/open-hold.ts';
import { isOwn } from '../../lib/billing/terms/own-spender.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { pageOf, pageQuery } from '../../lib/schema/pages.ts';
import type { ItemOf } from '../../lib/table/kind.ts';
import { readPage } from '../../lib/table/pages.ts';

export const operation = defineOperation({
  id: 'listHolds',
  summary: 'List open holds',
  description:
    'Lists the open holds, the soonest to expire first, a page at a time. For an API key with a spender of its own, a page has those of its holds that are its own: it may have fewer than `limit`, or none, and a next page.',
  method: 'GET',
  path: '/billing/holds',
  permission: 'stars:spend',
  request: { query: z.strictObject(pageQuery) },
  response: { status: 200, body: pageOf(hold) },
  errors: ['invalid_cursor'],
  table: ['Query'],

  // Holds that have expired are there until the wallet changes next.
  read({ organizationId, query, now }, table) {
    const list = {
      identity: [organizationId, 'listHolds'] as const,
      kind: openHoldKind,
      pk: openHoldKind.partition({ organizationId }),
      from: openHoldsAfter(now),
      pattern: openHoldPattern,
    };
    const toItem = (item: ItemOf<typeof openHoldKind>) => openHoldReply(toOpenHold(item));
    return readPage(table, { ...list, toItem }, query);
  },

  handle: ({ spender }, { items, next_cursor }) => ({
    body: { items: items.filter((one) => isOwn(one, spender)), next_cursor },
  }),
});

export const handler = serve(operation);
