import { exactNumber } from './values/numbers.ts';

/** How deep the service takes what is inside of a row: 100 levels, without the body and its list. */
const deepest = 98;

/** An object or list that is not closed yet. */
interface Open {
  /** The names of an object so far; undefined for an array. */
  names?: Set<string>;
  /** The name of the next value. */
  at?: string;
}

/** The tokens of JSON that can be parsed. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Problems that parsing would hide, or for which the service would refuse all rows of a request: the first for each name
 * in a row. Holds to `assertPlainJson` of the service, which judges a whole body. The text must be JSON. `isExact` finds
 * numbers, too, that parsing would round.
 */
export const problemsIn = (text: string, isExact = false): Map<string, string> => {
  const open: Open[] = [];
  const problems = new Map<string, string>();
  const note = (message: string) => {
    const name = open[0]?.at ?? '';
    if (!problems.has(name)) problems.set(name, message);
  };
  let before = '';
  for (const [one] of text.matchAll(token)) {
    const inside = open.at(-1);
    if (one === '{' || one === '[') {
      open.push(one === '{' ? { names: new Set() } : {});
      if (open.length > deepest) note('is nested too deeply');
    } else if (one === '}' || one === ']') {
      open.pop();
    } else if (one.startsWith('"') && inside?.names && (before === '{' || before === ',')) {
      const name = JSON.parse(one) as string;
      inside.at = name;
      if (isForbidden(open)) note(`has the name ${name}, which is not known here`);
      if (inside.names.has(name)) note(`has the name ${name} twice`);
      inside.names.add(name);
    } else if (/^[-\d]/.test(one) && !Number.isFinite(Number(one))) {
      // JSON would have `null` in its place.
      note(`has a number that is too large, in ${open[0]?.at}`);
    } else if (isExact && /^[-\d]/.test(one) && exactNumber(one) === undefined) {
      note(`has a number with more digits than are kept, in ${open[0]?.at}`);
    }
    before = one;
  }
  return problems;
};

/** Whether a parser refuses the last name, since it would change a prototype. */
const isForbidden = (open: readonly Open[]): boolean => {
  const [above, last] = [open.at(-2)?.at, open.at(-1)?.at];
  return last === '__proto__' || (last === 'prototype' && above === 'constructor');
};
