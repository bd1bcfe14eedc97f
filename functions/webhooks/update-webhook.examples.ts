import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'it is stopped',
    request: async ({ webhook }) => ({
      path: { webhook_id: (await webhook()).id },
      body: { status: 'disabled' },
    }),
    docs: true,
    faults: true,
    costs: [3, 6, 2],
  },
  {
    name: 'another address, if nobody changed it since',
    request: async ({ webhook }) => ({
      path: { webhook_id: (await webhook()).id },
      headers: { 'if-match': '"1"' },
      body: { url: 'https://hooks.example.com/other', description: null },
    }),
    faults: true,
  },
];
