import { issuerLike } from '@leads-and-stars/runner';
import { inject } from 'vitest';
import type { Prepared } from '../../tools/dev/service.ts';

/** What the service of all tests is started from, for another one beside it: nothing is synthesized again. */
export const prepared = async (): Promise<Prepared> => {
  const { issuerIdentity, directory } = inject('service');
  return { issuer: await issuerLike(issuerIdentity), directory, close: async () => {} };
};
