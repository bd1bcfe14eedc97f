import { join } from 'node:path';
import { StrykerCli } from '@stryker-mutator/core';

// `npm run mutation:AREA`, with options of Stryker after `--`.

const [node, program, area, ...options] = process.argv;
// The configurations read it, also in Stryker's own processes.
process.env.MUTATED_AREA = area;
const config = join(import.meta.dirname, 'stryker.config.js');
new StrykerCli([node, program, 'run', config, ...options]).run();
