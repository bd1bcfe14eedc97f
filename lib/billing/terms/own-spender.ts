import { forbidden } from '../../errors/errors.ts';
import type { Purpose } from './purpose.ts';

// An API key may have a spender of its own: undefined here for who may name any.

/** The request with the caller's own spender. Throws `forbidden` where it names another spender. */
export const withOwnSpender = <T extends Purpose>(asked: T, own: string | undefined): T => {
  if (own === undefined) return asked;
  if (asked.spender !== undefined && asked.spender !== own) {
    throw forbidden('spender', `must be ${own}, or left out, with this API key`);
  }
  return { ...asked, spender: own };
};

/** Whether the caller may see and change what was spent or held so. */
export const isOwn = (
  { spender }: { spender?: string | null | undefined },
  own: string | undefined,
) => own === undefined || spender === own;
