import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'my organizations',
    request: () => ({}),
    docs: true,
    faults: true,
    costs: [3, 0, 2],
  },
];
