import { median, type Progress } from '../section.ts';
import { probed } from './probe.ts';
import type { Stage } from './stage.ts';

/** Starts of each, one of each after the other, so that all have the machine's same moods. */
export const rounds = 15;

export interface Candidate {
  name: string;
  bundle: string;
}

export interface ColdStart extends Candidate {
  /** Milliseconds from the start of a process to its first response. */
  near: number;
  /** The same with the table some milliseconds away. */
  far: number;
}

/** Starts each candidate for a createLead of its own, in turns. */
export const measureColdStarts = async (
  stage: Stage,
  candidates: readonly Candidate[],
  progress: Progress,
): Promise<ColdStart[]> => {
  const near = new Map<string, number[]>(candidates.map(({ name }) => [name, []]));
  const far = new Map<string, number[]>(candidates.map(({ name }) => [name, []]));
  const start = async (environment: Stage['environment'], bundle: string): Promise<number> => {
    const event = await stage.eventFor('createLead');
    const values = [bundle, event];
    const { answered } = await probed<{ answered: number }>({ environment }, 'probe.mjs', values);
    return answered;
  };
  for (let round = 1; round <= rounds; round++) {
    progress.step(`cold, round ${round}`);
    for (const { name, bundle } of candidates) {
      near.get(name)!.push(await start(stage.environment, bundle));
      far.get(name)!.push(await start(stage.distant, bundle));
    }
  }
  return candidates.map((candidate) => ({
    ...candidate,
    near: median(near.get(candidate.name)!),
    far: median(far.get(candidate.name)!),
  }));
};
