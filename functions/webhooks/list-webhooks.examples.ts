import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'all webhooks',
    async request({ webhook }) {
      await webhook();
      return {};
    },
    docs: true,
    faults: true,
    costs: [3, 0, 1],
  },
];
