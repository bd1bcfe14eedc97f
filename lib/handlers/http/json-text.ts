import { createScanner, type SyntaxKind } from 'jsonc-parser';
import { pathOf } from '../../schema/issues.ts';

/** The library's `SyntaxKind` is an enum that only TypeScript knows. */
const tokens = {
  objectStart: 1,
  objectEnd: 2,
  arrayStart: 3,
  arrayEnd: 4,
  comma: 5,
  colon: 6,
  text: 10,
  number: 11,
  unknown: 16,
  end: 17,
} as const satisfies Record<string, SyntaxKind>;

/** How deep objects and arrays may be inside of one another. */
const deepest = 100;

/**
 * A batch of 100 leads with all fields has 30,000. zod hands on what is wrong as arguments of a call, and with 125,000
 * of them the stack is full.
 */
const mostNamesAndValues = 50_000;

const { objectEnd, arrayEnd, comma, colon } = tokens;
/** What is neither a name nor a value, nor begins one. */
const between = new Set<SyntaxKind>([objectEnd, arrayEnd, comma, colon]);

/** A problem that `JSON.parse` would not tell, or not survive. */
export interface JsonProblem {
  path: string;
  message: string;
  /** Whether it is told even if the text may not be JSON at all. */
  endsParsing: boolean;
}

/** An object or array that is not closed yet. */
interface Open {
  /** In an object: the names so far. */
  names?: Set<string>;
  /** The name of the next value, or its place in an array. */
  at: string | number;
}

/**
 * The first problem in a JSON text: a name twice in an object, a name that changes prototypes, a number with more digits
 * than can be kept, too many names and values, or nesting that is too deep. What ends the parsing comes before the
 * others, wherever it is. Takes time in proportion to the text. For a text that is not JSON, the result may be anything.
 */
export const problemIn = (text: string): JsonProblem | undefined => {
  const scanner = createScanner(text, true);
  const open: Open[] = [];
  const path = (...more: string[]) => pathOf([...open.map(({ at }) => at), ...more]);
  let before: SyntaxKind = tokens.unknown;
  let namesAndValues = 0;
  let first: JsonProblem | undefined;
  for (let token = scanner.scan(); token !== tokens.end; token = scanner.scan()) {
    const inside = open.at(-1);
    if (!between.has(token) && ++namesAndValues > mostNamesAndValues) {
      return tooMuch('has too many names and values');
    }
    if (token === tokens.objectStart || token === tokens.arrayStart) {
      if (open.length === deepest) return tooMuch('is nested too deeply');
      open.push(token === tokens.objectStart ? { names: new Set(), at: '' } : { at: 0 });
    } else if (token === tokens.objectEnd || token === tokens.arrayEnd) {
      open.pop();
    } else if (token === tokens.comma && typeof inside?.at === 'number') {
      inside.at++;
    } else if (token === tokens.text && inside?.names && isName(before)) {
      const name = scanner.getTokenValue();
      inside.at = name;
      if (isForbidden(open)) return { ...problem(path(), 'is not known here'), endsParsing: true };
      if (inside.names.has(name)) first ??= problem(path(), 'is there twice');
      inside.names.add(name);
    } else if (token === tokens.number && !first && !isExact(scanner.getTokenValue())) {
      first = problem(path(), 'has more digits than can be kept');
    }
    before = token;
  }
  return first;
};

/** What `JSON.parse` would take too long for, or not survive. */
const tooMuch = (message: string): JsonProblem => ({ path: '', message, endsParsing: true });

const problem = (path: string, message: string): JsonProblem => ({
  path,
  message,
  endsParsing: false,
});

/** Whether the last name is one that the parser refuses: it would say that the text is not JSON. */
const isForbidden = (open: readonly Open[]): boolean => {
  const [above, last] = [open.at(-2)?.at, open.at(-1)?.at];
  return last === '__proto__' || (last === 'prototype' && above === 'constructor');
};

/** Whether a string after this token, in an object, is a name and not a value. */
const isName = (before: SyntaxKind): boolean =>
  before === tokens.objectStart || before === tokens.comma;

/** Only numbers with this many digits, a fraction or an exponent can lose anything. */
const mayBeInexact = /^-?\d{16}|[.eE]/;

/**
 * Whether JavaScript keeps a number with just the digits that are written. 9007199254740991.4 and
 * 123456789012.123456 are not such.
 */
const isExact = (source: string): boolean => {
  if (!mayBeInexact.test(source)) return true;
  const value = Number(source);
  if (!Number.isFinite(value)) return false;
  const { digits, zeros } = decimalOf(source);
  if (digits === '') return true;
  if (!Number.isInteger(value)) {
    const kept = decimalOf(String(value));
    return digits === kept.digits && zeros === kept.zeros;
  }
  if (zeros < 0 || zeros > 20) return false;
  return BigInt(digits + '0'.repeat(zeros)) === BigInt(Math.abs(value));
};

/** A number without its sign, as digits that neither begin nor end with a zero, and how many zeros follow these. */
const decimalOf = (source: string): { digits: string; zeros: number } => {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const written = whole + fraction;
  const significant = withoutZerosAtEnd(written);
  const zeros = Number(exponent) - fraction.length + written.length - significant.length;
  return { digits: significant.replace(/^0+/, ''), zeros };
};

/** A pattern such as `0+$` takes quadratic time for zeros that are not at the end. */
const withoutZerosAtEnd = (digits: string): string => {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
};
