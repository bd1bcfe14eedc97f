// Measures everything, or only what --only names, and writes docs/benchmarks.md.

import { parseArgs } from 'node:util';
import { CliError } from '@leads-and-stars/runner';
import { runToEnd } from '../../tools/cli/run.ts';
import { callCosts } from './calls/section.ts';
import { lists } from './lists/section.ts';
import { manyAtOnce } from './many/section.ts';
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

const usage = `npm run bench -- [options]

Measures what calls cost and how fast they are, and writes docs/benchmarks.md: four minutes.

  --only SECTION   measure just this and write it anew; repeatable. Sections: ${names.join(', ')}
  --help           show this`;

/** The sections to measure; undefined for --help. */
const wantedSections = (): string[] | undefined => {
  const { only = names, help } = parseArgs({
    options: { only: { type: 'string', multiple: true }, help: { type: 'boolean' } },
  }).values;
  if (help) return undefined;
  if (only.some((name) => !sections[name])) {
    throw new CliError(`--only takes one of: ${names.join(', ')}`);
  }
  return only;
};

await runToEnd(async () => {
  const wanted = wantedSections();
  if (!wanted) {
    console.log(usage);
    return undefined;
  }
  // After each one: what was measured is kept also if a later one fails.
  for (const name of wanted) {
    const section = await sections[name]!((doing) => console.error(`${name}: ${doing}`));
    console.log(await writePage(names, { [name]: section }));
  }
  return undefined;
});
