import type { Example, Setting } from '../../tools/examples/example.ts';

/** A hold of 30 stars that no other example names. */
export const held = async ({ organizationId, unique, call }: Setting) => {
  const body = { organization_id: organizationId, hold_id: unique() };
  await call('holdStars', { body: { ...body, stars: 30, expires_in_seconds: 600 } });
  return body;
};

export const examples: Example[] = [
  {
    name: 'what it cost',
    request: async (setting) => ({ body: { ...(await held(setting)), stars: 12 } }),
    faults: true,
    costs: [2, 8, 2],
  },
];
