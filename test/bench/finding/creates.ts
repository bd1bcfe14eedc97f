import { startCountedService } from '../../cost/counted-service.ts';
import { costOf, unitsOf } from '../../cost/measure.ts';
import { makeSetting } from '../../cost/setting.ts';
import { prices } from '../prices.ts';
import type { Progress } from '../section.ts';

/** What a create writes more for, and what that buys. A name of a sign alone has no word. */
const features: { name: string; buys: string; fields: object; less: object }[] = [
  {
    name: 'a word of a name',
    buys: 'found by it in a search',
    fields: { contact_name: 'Ana' },
    less: { contact_name: '–' },
  },
  {
    name: 'an email in a pipeline that has it unique, searchable',
    buys: 'no second lead, a lookup, an upsert; three words',
    fields: { contact_name: '–', email: 'a-new-one@example.com' },
    less: { contact_name: '–' },
  },
  {
    name: 'a phone in a pipeline that does not, searchable',
    buys: 'a lookup; one word',
    fields: { contact_name: '–', phone: '+5511987654321' },
    less: { contact_name: '–' },
  },
  {
    name: 'an external id',
    buys: 'no second lead, a lookup, an upsert',
    fields: { contact_name: '–', external_id: 'a-new-one' },
    less: { contact_name: '–' },
  },
];

/** Of each feature: its name, what it buys, write units, and dollars for a million. */
export const createRows = async (progress: Progress): Promise<(string | number)[][]> => {
  const counted = await startCountedService();
  try {
    const { client, pipelineId } = await makeSetting(counted.service);
    const unitsFor = async (fields: object): Promise<number> => {
      counted.proxy.take();
      const body = { pipeline_id: pipelineId, ...fields };
      const { code } = await client.send({ id: 'createLead', path: '/leads', body });
      if (code) throw new Error(`no lead: ${code}`);
      return unitsOf(costOf(counted.proxy.take())).write;
    };
    const rows: (string | number)[][] = [];
    for (const { name, buys, fields, less } of features) {
      progress.step(name);
      const units = (await unitsFor(fields)) - (await unitsFor(less));
      rows.push([name, buys, units, (units * prices.writeUnits * 1e6).toFixed(2)]);
    }
    const read = (prices.readUnits * 1e6).toFixed(3);
    return [...rows, ['whether there is a search', 'it can be switched off', '1 read', read]];
  } finally {
    await counted.close();
  }
};

export const createSteps = features.length;
