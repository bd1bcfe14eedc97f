import type { Example } from '../../tools/examples/example.ts';

export const examples: Example[] = [
  {
    name: 'my organizations',
    request: () => ({}),
    docs: true,
    faults: true,
    costs: [2.5, 0, 2],
  },
];
