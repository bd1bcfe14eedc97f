import type { Example } from '../example.ts';
import { heldPath } from './put-hold.examples.ts';
import { limitedPath } from './put-spend-limit.examples.ts';

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
  {
    name: 'more than was held, as far as a limit leaves stars',
    async request(setting) {
      const { name } = await limitedPath(setting, 35);
      return {
        path: await heldPath(setting, { spender: name }),
        body: { stars: 40, up_to_available: true },
      };
    },
    faults: true,
  },
];
