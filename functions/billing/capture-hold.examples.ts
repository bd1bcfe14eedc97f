import type { Example } from '../../tools/examples/example.ts';
import { heldPath } from './put-hold.examples.ts';

export const examples: Example[] = [
  {
    name: 'what it cost',
    request: async (setting) => ({ path: await heldPath(setting), body: { stars: 12 } }),
    docs: true,
    faults: true,
    costs: [4, 8, 2],
  },
];
