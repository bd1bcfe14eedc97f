import { type Cost, measureCalls } from '../../cost/measure.ts';
import { startMeteredService } from '../../cost/metered-service.ts';
import { makeSetting } from '../../cost/setting.ts';
import { median, type Progress } from '../section.ts';

const rounds = 5;
/** Longer than a function takes between two requests that don't wait for one another. */
const delay = 50;

/** What every call costs. Units, trips and bytes are exact; times are the medians of some rounds after the first. */
export const measureCosts = async (progress: Progress): Promise<Cost[]> => {
  const metered = await startMeteredService();
  try {
    const round = async (milliseconds: number) => {
      const setting = await makeSetting(metered.service);
      return measureCalls(metered, setting, { delay: milliseconds });
    };
    progress('every call, each answer of the table held back');
    const exact = await round(delay);
    const timed: Cost[][] = [];
    for (let i = 0; i < rounds; i++) {
      progress('every call');
      timed.push(await round(0));
    }
    return exact.map((cost, i) => ({
      ...cost,
      milliseconds: medianOf(timed.map((costs) => costs[i]?.milliseconds)),
    }));
  } finally {
    await metered.close();
  }
};

const medianOf = (values: readonly (number | undefined)[]): number | undefined =>
  median(values.filter((value) => value !== undefined));
