import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'all',
    async request({ field }) {
      await field();
      return {};
    },
    docs: true,
    faults: true,
    costs: [3, 0, 1],
  },
];
