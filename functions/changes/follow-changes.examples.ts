import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'an organization without webhooks',
    request: ({ freeOrganizationId }) => ({ body: { organization_id: freeOrganizationId } }),
    costs: [1, 0, 1],
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
];
