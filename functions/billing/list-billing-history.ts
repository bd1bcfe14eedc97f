import * as z from 'zod/mini';
import { assertChained } from '../../lib/billing/invariants.ts';
import { ledgerEntry } from '../../lib/billing/ledger.ts';
import { toLedgerEntry } from '../../lib/billing/stored-entry.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { pageOf, pageQuery } from '../../lib/schema/pages.ts';
import { ledgerEntryKey, ordinalPattern } from '../../lib/table/keys.ts';
import { readPage } from '../../lib/table/pages.ts';

export const operation = defineOperation({
  id: 'listBillingHistory',
  summary: 'List billing history',
  description:
    'Lists every change of the organization’s stars, newest first, a page at a time. Entries are numbered without gaps and never change; together they make the balance.',
  method: 'GET',
  path: '/billing/history',
  permission: 'billing:read',
  request: { query: z.strictObject(pageQuery) },
  response: { status: 200, body: pageOf(ledgerEntry) },
  errors: ['invalid_cursor'],
  table: ['Query'],

  read: ({ organizationId, query }, table) =>
    readPage(
      table,
      {
        identity: [organizationId, 'listBillingHistory'],
        pk: ledgerEntryKey(organizationId, 0).pk,
        pattern: ordinalPattern,
        newestFirst: true,
        toItem: toLedgerEntry,
      },
      query,
    ),

  handle(_call, page) {
    assertChained(page.items);
    return { body: page };
  },
});

export const handler = serve(operation);
