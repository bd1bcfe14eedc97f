import { historyQuery, readHistory } from '../../lib/billing/history.ts';
import { ledgerEntry } from '../../lib/billing/stored/ledger-entry.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { named, withUserNames } from '../../lib/organizations/user-names.ts';
import { pageOf } from '../../lib/schema/pages.ts';

export const operation = defineOperation({
  id: 'listBillingHistory',
  summary: 'List billing history',
  description:
    'Lists every change of the organization’s stars, newest first, a page at a time. Entries are numbered without gaps and never change; together they make the balance. With `type`, `feature` or `spender`, at most 1,000 entries are examined for a page: it may have fewer than `limit`, or none, and still a `next_cursor`.',
  method: 'GET',
  path: '/billing/history',
  permission: 'billing:read',
  request: { query: historyQuery },
  response: { status: 200, body: pageOf(named(ledgerEntry, 'NamedLedgerEntry')) },
  errors: ['invalid_cursor'],
  table: ['GetItem', 'Query'],

  read: ({ organizationId, query }, table) => readHistory(table, organizationId, query),

  handle: async (call, { items, next_cursor }, table) => ({
    body: { items: await withUserNames(table, call, items), next_cursor },
  }),
});

export const handler = serve(operation);
