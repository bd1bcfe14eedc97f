import { Presets, SingleBar } from 'cli-progress';
import type { Progress } from './section.ts';

/** A bar for one section; on what is no terminal, a line for each step. */
export const startProgress = (section: string): Progress & { stop(): void } => {
  const format = `${section} {bar} {value}/{total} {duration_formatted} {doing}`;
  const options = { format, noTTYOutput: true, notTTYSchedule: 15_000, fps: 4, linewrap: false };
  const bar = new SingleBar(options, Presets.shades_classic);
  bar.start(1, 0, { doing: '' });
  return {
    expect: (steps) => bar.setTotal(steps),
    step: (doing) => bar.increment(1, { doing }),
    stop: () => bar.stop(),
  };
};
