import type { Example } from '../example.ts';
import { limitedPath } from './put-spend-limit.examples.ts';

export const examples: Example[] = [
  {
    name: 'of a spender',
    request: async (setting) => ({ path: await limitedPath(setting) }),
    docs: true,
    faults: true,
    costs: [6, 0, 2],
  },
];
