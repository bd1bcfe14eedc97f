import { median, type Progress } from '../section.ts';
import { probed } from './probe.ts';
import type { Stage } from './stage.ts';

/** Starts of each, one of each after the other, so that all have the machine's same moods. */
export const rounds = 15;

interface Candidate {
  name: string;
  bundle: string;
  /** Makes a file with an event of its own for a start. */
  event(): Promise<string>;
}

export interface ColdStart extends Candidate {
  /** From the start of a process to its first response. */
  tookMs: number;
}

/** Starts each candidate, in turns. */
export const measureColdStarts = async (
  stage: Stage,
  candidates: readonly Candidate[],
  progress: Progress,
): Promise<ColdStart[]> => {
  const took = new Map<string, number[]>(candidates.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    progress(`cold, round ${round}`);
    for (const { name, bundle, event } of candidates) {
      const { answered } = await probed<{ answered: number }>(stage, 'probe.mjs', [
        bundle,
        await event(),
      ]);
      took.get(name)!.push(answered);
    }
  }
  return candidates.map((one) => ({ ...one, tookMs: median(took.get(one.name)!) }));
};
