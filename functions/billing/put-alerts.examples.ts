import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'two',
    request: () => ({ body: { thresholds: [100, 10] } }),
    docs: true,
    faults: true,
    costs: [3, 6, 2],
  },
  {
    name: 'twice the same',
    request: () => ({ body: { thresholds: [10, 10] } }),
    status: 400,
    docs: true,
  },
];
