import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'the first page',
    async request({ call }) {
      const path = { kind: 'spender', name: 'agent-7' };
      await call('putSpendLimit', { path, body: { stars: 20, period: 'day' } });
      return { query: { limit: '1' } };
    },
    docs: true,
    faults: true,
    costs: [7, 0, 3],
  },
];
