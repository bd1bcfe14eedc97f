import type { Example } from '../../tools/examples/example.ts';
import { held } from './capture-hold.examples.ts';

export const examples: Example[] = [
  {
    name: 'none of it spent',
    request: async (setting) => ({ body: await held(setting) }),
    faults: true,
    costs: [2, 8, 2],
  },
];
