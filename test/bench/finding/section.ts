import { type Progress, type Section, table } from '../section.ts';
import { createRows, createSteps } from './creates.ts';
import { leadCount, searchRows, searchSteps } from './searches.ts';

/** What it costs that leads can be found, and what finding them costs. */
export const finding = async (progress: Progress): Promise<Section> => {
  progress.expect(createSteps + searchSteps);
  const creates = await createRows(progress);
  const searches = await searchRows(progress);
  const [, ...rare] = searches[0]!;
  const [, ...all] = searches.at(-1)!;
  return {
    title: 'Finding leads',
    result: `Of ${leadCount} leads, a search for a rare word takes ${rare[2]} read units, a filter over everything ${all[2]}.
  Each word of a lead adds 2 write units to its create.`,
    goals: [],
    content: [
      `What a create pays for each feature, and what that buys. It pays only for what the lead has, and for words only where
the organization has a search.`,
      table(['feature', 'buys', 'write units', 'dollars for a million'], creates),
      `Searches of 20 leads in an organization of ${leadCount}: leads found, whether there may be more, read units and
milliseconds (the median of some tries, in one process beside the engine). A search examines at most 1,000 items, however
many leads there are. DynamoDB counts a unit for each lead that is read; the local engine counts their bytes together.`,
      table(['search', 'found', 'more', 'read units', 'ms'], searches),
    ],
  };
};
