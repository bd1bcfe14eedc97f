import type { promises } from 'node:dns';

type Type = 'A' | 'AAAA';
/** Addresses, an error's code, or no answer at all. */
type Answer = readonly string[] | 'ENOTFOUND' | 'ENODATA' | 'ESERVFAIL' | 'silence';

/** A resolver that answers so, and what it was asked for, such as `AAAA hooks.example.com`. */
export const fakeDns = (answer: (name: string, type: Type) => Answer) => {
  const asked: string[] = [];
  const resolve = (type: Type) => async (name: string) => {
    asked.push(`${type} ${name}`);
    const given = answer(name, type);
    if (given === 'silence') return new Promise<never>(() => {});
    if (typeof given === 'string')
      throw Object.assign(new Error(given), { code: given, syscall: `query${type}` });
    return given;
  };
  const resolver = { resolve4: resolve('A'), resolve6: resolve('AAAA') };
  return { asked, resolver: resolver as unknown as promises.Resolver };
};
