import type { Example } from '../../tools/examples/example.ts';

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
