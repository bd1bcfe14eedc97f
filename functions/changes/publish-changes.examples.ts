import { ordinal, places } from '../../lib/table/keys.ts';
import type { Example } from '../example.ts';

const at = '2026-11-21T02:48:07.618Z';
const leadId = '01a1fc01-04c2-7516-b29c-4d6e78ac2694';
const feed = '5d1b7c0a-9c36-5f0e-8a52-6b1f7e2d4c90';

export const examples: Example[] = [
  {
    name: 'a new lead and spent stars',
    request: ({ organizationId, users, unique }) => ({
      body: [
        {
          ...places.historyEntry.key({ organizationId, leadId, version: ordinal(1) }),
          feed,
          sequence: 1,
          version: 1,
          type: 'lead.created',
          at,
          user_id: users.owner,
          changes: [
            { field: 'contact_name', from: null, to: 'Maria Silva' },
            { field: 'value_cents', from: null, to: 125_000 },
          ],
        },
        {
          ...places.ledgerEntry.key({ organizationId, version: ordinal(2) }),
          feed,
          sequence: 2,
          version: 2,
          type: 'stars.spent',
          at,
          event_id: unique(),
          monthly_change: -5,
          pack_change: -3,
          wallet: {},
        },
      ],
    }),
  },
];
