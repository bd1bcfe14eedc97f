import type { Example } from '../example.ts';
import { heldPath } from './put-hold.examples.ts';

export const examples: Example[] = [
  {
    name: 'none of it spent',
    request: async (setting) => ({ path: await heldPath(setting) }),
    docs: true,
    faults: true,
    costs: [4, 8, 2],
  },
];
