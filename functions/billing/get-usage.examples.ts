import type { Example } from '../example.ts';

const november = { from: '2026-11-01', to: '2026-11-30' };

export const examples: Example[] = [
  {
    name: 'by day',
    request: () => ({ query: { from: '2026-11-27', to: '2026-11-28' } }),
    docs: true,
    costs: [5, 0, 2],
  },
  {
    name: 'by feature',
    request: () => ({ query: { ...november, group_by: 'feature' } }),
    docs: true,
    costs: [5, 0, 2],
  },
  {
    name: 'a spender a page',
    async request({ unique, call }) {
      for (const spender of ['ana', 'bia']) {
        await call('putSpend', { path: { event_id: unique() }, body: { stars: 1, spender } });
      }
      return { query: { ...november, group_by: 'spender', limit: '1' } };
    },
    faults: true,
  },
];
