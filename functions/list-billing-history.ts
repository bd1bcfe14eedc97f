import * as z from 'zod/mini';
import { ledgerEntry, listLedger } from '../lib/billing/ledger.ts';
import { decodeCursor, encodeCursor, type ListIdentity } from '../lib/cursor.ts';
import { serve } from '../lib/http/serve.ts';
import { defineOperation } from '../lib/operation.ts';
import { defaultLimit, pageOf, pageQuery } from '../lib/pages.ts';
import { ordinalForm } from '../lib/table/keys.ts';

export const operation = defineOperation({
  id: 'listBillingHistory',
  summary: 'Lists every change of the organization’s stars, newest first, a page at a time.',
  method: 'GET',
  path: '/billing/history',
  permission: 'billing:read',
  request: { query: z.strictObject(pageQuery) },
  response: { status: 200, body: pageOf(ledgerEntry) },
  errors: ['invalid_cursor'],
  table: ['Query'],

  async read({ organizationId, query: { cursor, limit = defaultLimit } }, table) {
    const list: ListIdentity = [organizationId, 'listBillingHistory'];
    const after = cursor === undefined ? undefined : decodeCursor(list, cursor, ordinalForm);
    const { entries, next } = await listLedger(table, organizationId, limit, after);
    return { items: entries, next_cursor: next === undefined ? null : encodeCursor(list, next) };
  },

  handle: (_call, page) => ({ body: page }),
});

export const handler = serve(operation);
