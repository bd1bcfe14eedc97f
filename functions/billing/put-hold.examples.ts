import type { Example, Setting } from '../example.ts';
import { limitedPath } from './put-spend-limit.examples.ts';

/** The path of a hold of 30 stars that no other example names. */
export const heldPath = async (
  { unique, call }: Setting,
  purpose: object = { feature: 'call' },
) => {
  const path = { hold_id: unique() };
  await call('putHold', { path, body: { stars: 30, expires_in_seconds: 600, ...purpose } });
  return path;
};

export const examples: Example[] = [
  {
    name: 'for a job',
    request: ({ unique }) => ({
      path: { hold_id: unique() },
      body: { stars: 5, expires_in_seconds: 600, reason: 'Summarizes a call', feature: 'summary' },
    }),
    docs: true,
    costs: [4, 8, 2],
  },
  {
    name: 'of both kinds',
    request: ({ unique }) => ({
      path: { hold_id: unique() },
      body: { stars: 30, expires_in_seconds: 600 },
    }),
    faults: true,
  },
  {
    name: 'within a limit',
    async request(setting) {
      const { name } = await limitedPath(setting);
      return {
        path: { hold_id: setting.unique() },
        body: { stars: 30, expires_in_seconds: 600, spender: name },
      };
    },
    faults: true,
  },
];
