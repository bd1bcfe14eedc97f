// Measures everything, and writes docs/benchmarks.md and docs/benchmarks/; or only the pages that --only names.

import { parseArgs } from 'node:util';
import { CliError } from '@leads-and-stars/runner';
import { runToEnd } from '../../tools/cli/run.ts';
import { capacity } from './calls/capacity.ts';
import { roundTripsOfCalls } from './calls/round-trips.ts';
import { changes } from './changes/section.ts';
import { featureCosts } from './features/section.ts';
import { finding } from './finding/section.ts';
import { holds } from './holds/section.ts';
import { imports } from './import/section.ts';
import { lists } from './lists/section.ts';
import { throughput } from './load/section.ts';
import { money } from './money.ts';
import { startProgress } from './progress.ts';
import { writeIndex, writePage } from './report.ts';
import { runnerWeight } from './runner/section.ts';
import { scale } from './scale/section.ts';
import type { Measure, Section } from './section.ts';
import { coldStarts } from './speed/cold-start.ts';
import { warmCost } from './speed/warm-cost.ts';
import { webhooks } from './webhooks/section.ts';

/** In the order of docs/benchmarks.md. Each is a page, docs/benchmarks/<name>.md. */
const sections: Record<string, Measure> = {
  capacity,
  features: featureCosts,
  lists,
  finding,
  import: imports,
  'round-trips': roundTripsOfCalls,
  'cold-start': coldStarts,
  'warm-cost': warmCost,
  throughput,
  runner: runnerWeight,
  money,
  changes,
  webhooks,
  holds,
  scale,
};

const usage = `npm run bench -- [options]

Measures what calls cost and how fast they are, and writes docs/benchmarks.md: ten minutes.

  --only SECTION   measure just this and write its page; repeatable. Sections: ${Object.keys(sections).join(', ')}
  --help           show this`;

/** The sections that --only names; undefined where it is asked how. */
const wanted = (): string[] | undefined => {
  const { only, help } = parseArgs({
    options: { only: { type: 'string', multiple: true }, help: { type: 'boolean' } },
  }).values;
  if (help) return undefined;
  const unknown = only?.find((name) => !sections[name]);
  if (unknown) throw new CliError(`--only takes one of: ${Object.keys(sections).join(', ')}`);
  return only ?? [];
};

const measure = async (name: string): Promise<Section> => {
  const progress = startProgress(name);
  try {
    return await sections[name]!(progress);
  } finally {
    progress.stop();
  }
};

await runToEnd(async () => {
  const only = wanted();
  if (!only) {
    console.log(usage);
    return undefined;
  }
  for (const name of only) console.log(await writePage(name, await measure(name)));
  if (only.length > 0) return undefined;
  const measured: Record<string, Section> = {};
  for (const name of Object.keys(sections)) {
    measured[name] = await measure(name);
    // Also where a later one fails.
    await writePage(name, measured[name]);
  }
  await writeIndex(measured);
  return undefined;
});
