import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'an organization without webhooks',
    request: ({ freeOrganizationId }) => ({
      body: { organization_id: freeOrganizationId, consumer: 'webhooks' },
    }),
    costs: [2, 0, 1],
  },
  {
    name: 'a webhook that is due',
    request: async ({ organizationId, webhook }) => ({
      body: {
        organization_id: organizationId,
        consumer: 'webhooks',
        id: (await webhook()).id,
      },
    }),
    faults: true,
  },
  {
    name: 'a spend to be counted as usage',
    async request({ organizationId, unique, call }) {
      const body = { organization_id: organizationId, consumer: 'usage' };
      // What came before is counted by then.
      await call('followChanges', { body });
      const purpose = { feature: 'search', spender: 'ana' };
      await call('putSpend', { path: { event_id: unique() }, body: { stars: 1, ...purpose } });
      return { body };
    },
    costs: [5, 8, 5],
    faults: true,
  },
  {
    name: 'ten spenders to be counted as usage',
    async request({ organizationId, unique, call }) {
      const body = { organization_id: organizationId, consumer: 'usage' };
      await call('followChanges', { body });
      const spends = Array.from({ length: 10 }, (_, i) => ({
        ...{ event_id: unique(), stars: 1, feature: 'search', spender: `user-${i}` },
      }));
      await call('createSpends', { body: { spends } });
      return { body };
    },
    costs: [5, 26, 5],
  },
];
