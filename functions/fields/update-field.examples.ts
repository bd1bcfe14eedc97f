import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'another label, and one more option',
    request: async ({ field }) => ({
      path: { key: await field() },
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { label: 'Lead source', options: ['google', 'referral', 'fair', 'radio'] },
    }),
    docs: true,
    faults: true,
    costs: [3, 6, 2],
  },
  {
    name: 'archived',
    async request({ call, unique }) {
      const key = `campaign_${unique().replaceAll('-', '_')}`;
      await call('createField', { body: { key, label: 'Campaign', type: 'text' } });
      return { path: { key }, body: { archived: true } };
    },
    docs: true,
  },
];
