import type { Example } from '../../lib/operations/example.ts';

export const examples: Example[] = [{ name: 'a look', request: () => ({ body: {} }) }];
