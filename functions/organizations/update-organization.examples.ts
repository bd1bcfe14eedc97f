import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'another name',
    request: ({ unique }) => ({
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { name: `Cedro Tecnologia ${unique().slice(0, 8)}` },
    }),
    docs: true,
    faults: true,
    costs: [3, 10, 2],
  },
];
