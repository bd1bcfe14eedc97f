import type { Example, Setting } from '../example.ts';

/** The path of a spender's limit that no other example names; 100 stars a month unless told. */
export const limitedPath = async ({ unique, call }: Setting, stars = 100) => {
  const path = { kind: 'spender', name: unique() };
  const body = { stars, period: 'month', alert_at: stars - 20 };
  await call('putSpendLimit', { path, body });
  return path;
};

export const examples: Example[] = [
  {
    name: 'of a spender',
    request: ({ unique }) => ({
      path: { kind: 'spender', name: unique() },
      body: { stars: 100, period: 'month', alert_at: 80 },
    }),
    docs: true,
    faults: true,
    costs: [8, 8, 4],
  },
  {
    name: 'of no such default',
    request: () => ({
      path: { kind: 'default', name: 'feature' },
      body: { stars: 100, period: 'month' },
    }),
    status: 400,
    docs: true,
  },
];
