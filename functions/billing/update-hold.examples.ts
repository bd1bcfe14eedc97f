import type { Example } from '../example.ts';
import { heldPath } from './put-hold.examples.ts';

export const examples: Example[] = [
  {
    name: 'an hour more',
    request: async (setting) => ({
      path: await heldPath(setting),
      body: { expires_in_seconds: 3600 },
    }),
    docs: true,
    faults: true,
    costs: [4, 10, 2],
  },
];
