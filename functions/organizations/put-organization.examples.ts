import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'with a pipeline and stars',
    request: ({ freeOrganizationId }) => ({
      path: { organization_id: freeOrganizationId },
      body: {
        name: 'Cedro Tecnologia',
        members: [
          { user_id: '0190a5d2-0000-7000-8000-000000000001', role: 'owner' },
          { user_id: '0190a5d2-0000-7000-8000-000000000002', role: 'agent' },
        ],
        pipelines: [
          {
            name: 'Inbound',
            stages: [
              { name: 'new', outcome: 'open' },
              { name: 'won', outcome: 'won' },
              { name: 'lost', outcome: 'lost' },
            ],
            default_stage: 'new',
            unique_contact: ['email', 'phone'],
          },
        ],
        wallet: { pack_stars: 100 },
      },
    }),
    docs: true,
    faults: true,
  },
  {
    name: 'just an owner',
    request: ({ freeOrganizationId, users }) => ({
      path: { organization_id: freeOrganizationId },
      body: {
        name: 'Ipê',
        members: [{ user_id: users.owner, role: 'owner' }],
      },
    }),
    costs: [1, 19, 2],
  },
];
