import type { Example } from '../example.ts';
import { limitedPath } from './put-spend-limit.examples.ts';

export const examples: Example[] = [
  {
    name: 'the first page',
    async request(setting) {
      await limitedPath(setting);
      return { query: { limit: '10' } };
    },
    docs: true,
    faults: true,
    costs: [5, 0, 3],
  },
];
