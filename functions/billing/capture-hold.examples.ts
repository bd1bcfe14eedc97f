import type { Example } from '../example.ts';
import { heldPath } from './put-hold.examples.ts';

export const examples: Example[] = [
  {
    name: 'what it cost',
    request: async (setting) => ({ path: await heldPath(setting), body: { stars: 12 } }),
    docs: true,
    faults: true,
    costs: [4, 8, 2],
  },
  {
    name: 'more than was held, as far as there are stars',
    request: async (setting) => ({
      path: await heldPath(setting),
      body: { stars: 40, up_to_available: true },
    }),
    docs: true,
  },
];
