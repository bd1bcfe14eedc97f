import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a stage and a value',
    request: async ({ lead }) => ({
      path: { lead_id: (await lead()).id },
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { stage: 'contacted', value_cents: 98_000 },
    }),
  },
  {
    name: 'won, and who won it, if nobody changed it since',
    request: async ({ lead, users }) => ({
      path: { lead_id: (await lead()).id },
      headers: { 'if-match': '"1"' },
      body: { stage: 'won', owner_id: users.agent, company_name: 'Silva & Filhos' },
    }),
    docs: true,
  },
  {
    name: 'a stage, an email, tags and a value',
    request: async ({ lead, unique }) => ({
      path: { lead_id: (await lead()).id },
      body: {
        stage: 'won',
        email: `ana-${unique()}@example.org`,
        tags: ['newsletter', 'vip'],
        value_cents: 250,
      },
    }),
    faults: true,
  },
  {
    name: 'with If-Match',
    request: async ({ lead, unique }) => ({
      path: { lead_id: (await lead()).id },
      headers: { 'if-match': '"1"' },
      body: { stage: 'won', email: `ana-${unique()}@example.org`, tags: ['newsletter', 'vip'] },
    }),
    faults: true,
  },
  {
    name: 'a custom field',
    request: async ({ lead, field }) => ({
      path: { lead_id: (await lead()).id },
      body: { fields: { [await field()]: 'referral' } },
    }),
    docs: true,
    faults: true,
    costs: [4, 25, 2],
  },
  {
    name: 'a value',
    request: async ({ lead }) => ({
      path: { lead_id: (await lead()).id },
      body: { value_cents: 7 },
    }),
    costs: [3, 28, 2],
  },
  {
    name: 'a value and the next step',
    request: async ({ lead }) => ({
      path: { lead_id: (await lead()).id },
      body: { value_cents: 7, next_step_at: '2026-12-02T13:00:00Z' },
    }),
    costs: [3, 29, 2],
  },
  {
    name: 'a stage',
    request: async ({ lead }) => ({ path: { lead_id: (await lead()).id }, body: { stage: 'won' } }),
    costs: [4, 30, 3],
  },
  {
    name: 'an email',
    request: async ({ lead, unique }) => ({
      path: { lead_id: (await lead()).id },
      body: { email: `ana-${unique()}@example.org` },
    }),
    costs: [5, 53, 3],
  },
  {
    name: 'the tags',
    request: async ({ lead }) => ({
      path: { lead_id: (await lead()).id },
      body: { tags: ['inbound', 'vip'] },
    }),
    costs: [3, 25, 2],
  },
];
