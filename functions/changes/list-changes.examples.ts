import { ordinal, places } from '../../lib/table/keys.ts';
import type { Example, Setting } from '../example.ts';

const historyKey = (organizationId: string, leadId: string, version: number) =>
  places.historyEntry.key({ organizationId, leadId, version: ordinal(version) });

/** A lead that was made and changed, both with their numbers. */
const numberEntry = async ({ organizationId, lead, call }: Setting): Promise<void> => {
  const { id: lead_id } = await lead();
  await call('updateLead', { path: { lead_id }, body: { stage: 'won' } });
  await call('numberChanges', { body: [historyKey(organizationId, lead_id, 2)] });
};

const lastSequence = async ({ call }: Setting): Promise<string> => {
  for (let after = '0'; ; ) {
    const { last_sequence, has_more } = await call('listChanges', { query: { after } });
    after = String(last_sequence);
    if (!has_more) return after;
  }
};

export const examples: Example[] = [
  {
    name: 'from the beginning',
    async request(setting) {
      await numberEntry(setting);
      return { query: { after: '0', limit: '2' } };
    },
    docs: true,
  },
  {
    name: 'one a page',
    async request(setting) {
      await numberEntry(setting);
      return { query: { after: '0', limit: '1' } };
    },
    faults: true,
    costs: [3, 0, 2],
  },
  {
    name: 'nothing new',
    async request(setting) {
      await numberEntry(setting);
      return { query: { after: await lastSequence(setting) } };
    },
    costs: [3.5, 0, 2],
  },
  {
    name: 'of one type',
    async request(setting) {
      await numberEntry(setting);
      return { query: { type: 'lead.updated', limit: '1' } };
    },
  },
];
