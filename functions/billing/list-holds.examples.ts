import type { Example } from '../example.ts';
import { heldPath } from './put-hold.examples.ts';

export const examples: Example[] = [
  {
    name: 'the first page',
    async request(setting) {
      await heldPath(setting);
      return { query: { limit: '10' } };
    },
    docs: true,
    costs: [3, 0, 1],
  },
  {
    name: 'a hold a page',
    async request(setting) {
      for (let i = 0; i < 2; i++) {
        const path = { hold_id: setting.unique() };
        await setting.call('putHold', { path, body: { stars: 1, expires_in_seconds: 600 } });
      }
      return { query: { limit: '1' } };
    },
    faults: true,
  },
];
