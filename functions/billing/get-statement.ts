import * as z from 'zod/mini';
import { readStatement, statementQuery } from '../../lib/billing/statement.ts';
import { balance } from '../../lib/billing/stored/balance.ts';
import { ledgerEntry } from '../../lib/billing/stored/ledger-entry.ts';
import { starsInWallet } from '../../lib/billing/terms/stars.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { named, withUserNames } from '../../lib/organizations/user-names.ts';
import { pageOf } from '../../lib/schema/pages.ts';

export const operation = defineOperation({
  id: 'getStatement',
  summary: 'Get statement',
  description:
    'Reads the balance at two times, `opening` and `closing`, and all entries after the first one and up to the second one, the oldest first, a page at a time. They add up: `opening` and the changes of the entries, less what lapsed, is `closing`. `spent_stars` and `refunded_stars` are the sums of all pages. What has lapsed or expired by then is there at its own time, with `written_at` null until a later change writes it down. Before the wallet was made, `opening` has no stars. A statement never changes, its `written_at` apart.',
  method: 'GET',
  path: '/billing/statement',
  permission: 'billing:read',
  request: { query: statementQuery },
  response: {
    status: 200,
    body: z
      .strictObject({
        opening: balance,
        closing: balance,
        spent_stars: starsInWallet().check(z.describe('What spends and captures took, in all.')),
        refunded_stars: starsInWallet().check(
          z.describe('What was refunded, in all, of whichever spends, also what was lost of it.'),
        ),
        ...pageOf(named(ledgerEntry, 'NamedLedgerEntry')).shape,
      })
      .check(z.meta({ id: 'Statement' })),
  },
  errors: ['invalid_cursor'],
  table: ['GetItem', 'Query'],

  read: ({ organizationId, query, now }, table) => readStatement(table, organizationId, now, query),

  handle: async (call, { items, ...sums }, table) => ({
    body: { ...sums, items: await withUserNames(table, call, items) },
  }),
});

export const handler = serve(operation);
