// Measures everything, or only what --only names, and writes docs/benchmarks.md; with --rate it just tells what it measured.

import { runToEnd } from '../../tools/cli/run.ts';
import { callCosts } from './calls/section.ts';
import { lists } from './lists/section.ts';
import { atRate, manyAtOnce } from './many/section.ts';
import { type BenchOptions, benchCommand } from './options.ts';
import { writePage } from './report.ts';
import type { Measure } from './section.ts';
import { coldStarts } from './speed/section.ts';

/** In the order of docs/benchmarks.md. */
const sections: Record<string, Measure> = {
  calls: callCosts,
  lists,
  'cold-start': coldStarts,
  wallet: manyAtOnce,
};
const names = Object.keys(sections);

const tell = (name: string) => (doing: string) => console.error(`${name}: ${doing}`);

const run = async ({ only = names, rate }: Partial<BenchOptions>): Promise<void> => {
  if (rate !== undefined) return console.log(await atRate(rate, tell('wallet')));
  // After each one: what was measured is kept also if a later one fails.
  for (const name of only) {
    const section = await sections[name]!(tell(name));
    console.log(await writePage(names, { [name]: section }));
  }
};

await benchCommand(names)
  .action((options) => runToEnd(() => run(options)))
  .parseAsync();
