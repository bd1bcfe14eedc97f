import type { Example } from '../example.ts';

const keyOf = (name: string, unique: string): string => `${name}_${unique.replaceAll('-', '_')}`;

export const examples: Example[] = [
  {
    name: 'a list of options',
    request: ({ unique }) => ({
      body: {
        key: keyOf('interests', unique()),
        label: 'Interests',
        type: 'multi_select',
        options: ['coffee', 'tea'],
      },
    }),
    docs: true,
  },
  {
    name: 'a text',
    request: ({ unique }) => ({
      body: { key: keyOf('campaign', unique()), label: 'Campaign', type: 'text' },
    }),
    docs: true,
    faults: true,
    costs: [3, 6, 2],
  },
];
