import { issuerLike } from '@leads-and-stars/runner';
import { inject } from 'vitest';
import { codeIn } from '../../tools/service/bundles.ts';
import type { Prepared } from '../../tools/service/service.ts';

/** What the service of all tests is started from, for another one beside it: nothing is synthesized again. */
export const prepared = async (): Promise<Prepared> => {
  const { issuerIdentity, directory, codeDirectory } = inject('service');
  const issuer = await issuerLike(issuerIdentity);
  return { issuer, directory, codeOf: await codeIn(codeDirectory), close: async () => {} };
};
