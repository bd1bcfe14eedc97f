import { invalid } from '../../errors/errors.ts';
import { pathOf } from '../../schema/issues.ts';

/** How deep objects and arrays may be inside of one another. */
const mostLevels = 100;

/**
 * A batch of 100 leads with all fields has 30,000. zod hands on what is wrong as arguments of a call, and with 125,000
 * of them the stack is full.
 */
const mostNamesAndValues = 50_000;

/** An object or array that is not closed yet. */
interface Level {
  /** The names of an object so far; undefined for an array. */
  names?: Set<string>;
  /** The name that was read last in an object, or the index in an array. */
  at: string | number;
}

/**
 * Throws `invalid_request` for what `JSON.parse` would hide or not survive: a name that is twice in an object or
 * changes prototypes, too many names and values, or nesting that is too deep. Takes time in proportion to the text: at
 * most 0.2 s of CPU for 5 MB. Looks at the structure alone: what else is no JSON, the parser says. Ends where a value
 * or a separator is missing, so that only as many tokens are looked at as there may be names and values.
 */
export const assertPlainJson = (text: string): void => {
  const levels: Level[] = [];
  let namesAndValues = 0;
  let before = '';
  for (let i = endOfBlanks(text, 0), end = 0; i < text.length; i = endOfBlanks(text, end)) {
    const first = text.charAt(i);
    end = endOfToken(text, i);
    const level = levels.at(-1);
    const isSeparator = first === ',' || first === ':';
    const isValueMissing = before === '' || '{[,:'.includes(before);
    if (first === '}' || first === ']') {
      if (!levels.pop() || before === ',' || before === ':') refuseAsNoJson(text, i);
    } else if (isSeparator === isValueMissing) {
      refuseAsNoJson(text, i);
    } else if (isSeparator) {
      if (first === ',' && typeof level?.at === 'number') level.at++;
    } else {
      if (++namesAndValues > mostNamesAndValues) throw invalid('', 'has too many names and values');
      if (first === '{') levels.push({ names: new Set(), at: '' });
      if (first === '[') levels.push({ at: 0 });
      if (levels.length > mostLevels) throw invalid('', 'is nested too deeply');
      const isName = first === '"' && (before === '{' || before === ',');
      if (isName && level?.names) addName(levels, level.names, text, [i, end]);
    }
    before = first;
  }
};

/** Throws the error of a text that is no JSON, with the place where that shows. */
export const refuseAsNoJson = (text: string, at: number): never => {
  throw invalid('', `must be valid JSON: it ${whatIsWrong(text, at)}`);
};

const whatIsWrong = (text: string, at: number): string => {
  if (text.startsWith('\ufeff')) return 'begins with a byte order mark';
  if (at >= text.length) return 'ends too early';
  let [line, start] = [1, 0];
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    [line, start] = [line + 1, end + 1];
  }
  return `breaks at line ${line}, column ${at - start + 1}`;
};

/** The place where a text shows that it is no JSON, of which `JSON.parse` said so: it tells no place of a wrong word. */
export const placeOfFault = (text: string, said: string): number => {
  // The end of what was said: before it may stand a piece of the text.
  const [, place] = /at position (\d+) \(line \d+ column \d+\)$/.exec(said) ?? [];
  if (place !== undefined) return Number(place);
  for (let i = endOfBlanks(text, 0), end = 0; i < text.length; i = endOfBlanks(text, end)) {
    end = endOfToken(text, i);
    if (!'{}[],:'.includes(text.charAt(i)) && !isValue(text.slice(i, end))) return i;
  }
  return text.length;
};

const isValue = (token: string): boolean => {
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
};

const addName = (
  levels: readonly Level[],
  names: Set<string>,
  text: string,
  [start, end]: [number, number],
): void => {
  const quoted = text.slice(start, end);
  if (quoted.includes('\\') && !isValue(quoted)) refuseAsNoJson(text, start);
  const name = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  levels.at(-1)!.at = name;
  const isForbidden = name === 'prototype' && levels.at(-2)?.at === 'constructor';
  if (isForbidden || name === '__proto__') refuseLast(levels, 'is not known here');
  if (names.has(name)) refuseLast(levels, 'is there twice');
  names.add(name);
};

const refuseLast = (levels: readonly Level[], message: string): never => {
  throw invalid(pathOf(levels.map(({ at }) => at)), message);
};

const blanks = /[ \t\r\n]*/y;
const notStructure = /[^ \t\r\n"{}[\],:]+/y;

const endOfBlanks = (text: string, start: number): number => endOf(blanks, text, start);

const endOfToken = (text: string, start: number): number => {
  if (text.charAt(start) === '"') return endOfString(text, start);
  return Math.max(start + 1, endOf(notStructure, text, start));
};

const endOf = (pattern: RegExp, text: string, start: number): number => {
  pattern.lastIndex = start;
  pattern.test(text);
  return pattern.lastIndex;
};

const [quote, backslash] = [0x22, 0x5c];

const endOfString = (text: string, start: number): number => {
  let i = start + 1;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) return i + 1;
    if (code === backslash) i++;
  }
  return i;
};
