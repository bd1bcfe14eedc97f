import { ordinal, places } from '../../lib/table/keys.ts';
import type { Example } from '../example.ts';

const historyKey = (organizationId: string, leadId: string, version: number) =>
  places.historyEntry.key({ organizationId, leadId, version: ordinal(version) });

export const examples: Example[] = [
  {
    name: 'a new lead',
    request: async ({ organizationId, lead }) => ({
      body: [historyKey(organizationId, (await lead()).id, 1)],
    }),
    costs: [3, 5, 3],
  },
  {
    name: 'a change of a lead',
    async request({ organizationId, lead, call }) {
      const { id: lead_id } = await lead();
      await call('numberChanges', { body: [historyKey(organizationId, lead_id, 1)] });
      await call('updateLead', { path: { lead_id }, body: { stage: 'won' } });
      return { body: [historyKey(organizationId, lead_id, 2)] };
    },
    costs: [4, 5, 3],
  },
  {
    name: 'ten new leads at once',
    request: async ({ organizationId, lead }) => ({
      body: await Promise.all(
        Array.from({ length: 10 }, async () => historyKey(organizationId, (await lead()).id, 1)),
      ),
    }),
    costs: [12, 32, 3],
  },
  {
    name: 'a change before which one has no number',
    async request({ organizationId, lead, call }) {
      const { id: lead_id } = await lead();
      await call('updateLead', { path: { lead_id }, body: { value_cents: 1 } });
      const other = await lead();
      const keys = [
        historyKey(organizationId, lead_id, 2),
        historyKey(organizationId, other.id, 1),
      ];
      return { body: keys };
    },
    faults: true,
  },
];
