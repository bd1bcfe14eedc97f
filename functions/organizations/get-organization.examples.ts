import type { Example } from '../../tools/examples/example.ts';

export const examples: Example[] = [
  { name: 'the active one', request: () => ({}), docs: true, faults: true, costs: [3, 0, 1] },
];
