import type { Progress } from '../section.ts';
import { probed } from './probe.ts';
import type { Stage } from './stage.ts';

export const warmUp = 150;
export const events = 350;
/** Of each, one after the other: the least counts, for what disturbs only ever adds. */
export const warmRounds = 3;

export interface WarmCost {
  functionId: string;
  /** Microseconds of processor time for a request. */
  own: number;
  byHand: number;
}

/** Processor time of a request in a warm process, and of a handler by hand, which exports it under the same name. */
export const measureWarmCost = async (
  stage: Stage,
  functionId: string,
  bundles: { own: string; byHand: string },
  progress: Progress,
): Promise<WarmCost> => {
  const least = { own: Number.POSITIVE_INFINITY, byHand: Number.POSITIVE_INFINITY };
  const ways = [
    ['own', bundles.own, 'handler'],
    ['byHand', bundles.byHand, functionId],
  ] as const;
  for (let round = 1; round <= warmRounds; round++) {
    for (const [way, bundle, exported] of ways) {
      progress.step(`warm ${functionId}, ${way}, ${round}`);
      const file = await stage.eventsFor(functionId, events);
      const values = [bundle, exported, file, String(warmUp)];
      const { microseconds } = await probed<{ microseconds: number }>(
        stage,
        'probe-warm.cjs',
        values,
      );
      least[way] = Math.min(least[way], microseconds);
    }
  }
  return { functionId, ...least };
};
