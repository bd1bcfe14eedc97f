import { type Progress, type Section, table } from '../section.ts';
import { createRows, createSteps } from './creates.ts';
import { filtered, leadCount, searchRows, searchSteps } from './searches.ts';

/** What it costs that leads can be found, and what finding them costs. */
export const finding = async (progress: Progress): Promise<Section> => {
  progress.expect(createSteps + searchSteps);
  const creates = await createRows(progress);
  const searches = await searchRows(progress);
  const [, ...rare] = searches[0]!;
  const [, ...all] = searches.at(-1)!;
  return {
    title: 'Finding leads',
    result: `Of ${leadCount.toLocaleString('en')} leads, a search for a rare word examines ${rare[2]} items and takes ${rare[3]} read units, a filter over everything ${Number(all[3]).toLocaleString('en')}.
  Each word of a lead adds 2 write units to its create.`,
    goals: [],
    content: [
      `What a create pays for each feature, and what that buys. It pays only for what the lead has, and for words only where
the organization has a search.`,
      table(['feature', 'buys', 'write units', 'dollars for a million'], creates),
      `Searches of 20 leads in an organization of ${leadCount.toLocaleString('en')}: leads found, whether there may be more, items examined, read
units and milliseconds (the median of some tries, in one process beside the engine). A search examines at most 1,000
items, however many leads there are. DynamoDB counts a unit for each lead that is read; the local engine counts their
bytes together. The filter was read for ${filtered.toLocaleString('en')} leads, and is told for all.`,
      table(['search', 'found', 'more', 'examined', 'read units', 'ms'], searches),
    ],
  };
};
