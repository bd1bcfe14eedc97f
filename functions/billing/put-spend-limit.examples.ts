import type { Example, Setting } from '../example.ts';

/** The path of a spender's limit that no other example names. */
export const limitedPath = async ({ unique, call }: Setting) => {
  const path = { kind: 'spender', name: unique() };
  await call('putSpendLimit', { path, body: { stars: 100, period: 'month', alert_at: 80 } });
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
