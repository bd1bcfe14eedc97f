/** Values of a metric by the number of its period; undefined where there is none. */
export type Series = readonly (number | undefined)[];

const tokensOf = (expression: string): string[] =>
  expression.match(/\d+(?:\.\d+)?|\w+|[<>]=|[-+*/(),<>]/g) ?? [];

/** What each function of CloudWatch's metric math that the stack uses makes of its arguments. */
const functions: Record<string, (...args: Series[]) => Series> = {
  FILL: (one, by) => one!.map((value, i) => value ?? by![i]),
  DIFF: (one) => one!.map((value, i) => minus(value, one![i - 1])),
  IF: (condition, then, otherwise) =>
    condition!.map((value, i) =>
      value === undefined ? undefined : value === 0 ? otherwise![i] : then![i],
    ),
};

const minus = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? undefined : a - b;

/** From the loosest to the tightest. */
const operators: Record<string, (a: number, b: number) => number>[] = [
  { OR: (a, b) => Number(a !== 0 || b !== 0) },
  { AND: (a, b) => Number(a !== 0 && b !== 0) },
  {
    '>=': (a, b) => Number(a >= b),
    '<=': (a, b) => Number(a <= b),
    '>': (a, b) => Number(a > b),
    '<': (a, b) => Number(a < b),
  },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => a / b },
];

/** What an expression of CloudWatch's metric math gives in each of so many periods. Throws for what it does not know. */
export const evaluate = (
  expression: string,
  metrics: Record<string, Series>,
  periods: number,
): Series => {
  const tokens = tokensOf(expression);
  const take = (wanted?: string): string => {
    const token = tokens.shift();
    if (token === undefined || (wanted !== undefined && token !== wanted)) {
      throw new Error(`${token} where ${wanted} has to be, in ${expression}`);
    }
    return token;
  };
  const constant = (value: number): Series => Array.from({ length: periods }, () => value);
  const operand = (): Series => {
    const token = take();
    if (token === '-') return operand().map((value) => (value === undefined ? value : -value));
    if (token === '(') {
      const inner = level(0);
      take(')');
      return inner;
    }
    if (/^\d/.test(token)) return constant(Number(token));
    const fn = functions[token];
    if (!fn) {
      if (!metrics[token]) throw new Error(`${token} is no metric of ${expression}`);
      return metrics[token];
    }
    take('(');
    const args = [level(0)];
    for (; tokens[0] === ','; args.push(level(0))) take(',');
    take(')');
    return fn(...args);
  };
  const level = (tightness: number): Series => {
    const known = operators[tightness];
    if (!known) return operand();
    let left = level(tightness + 1);
    while (tokens[0] !== undefined && tokens[0] in known) {
      const apply = known[take()]!;
      const right = level(tightness + 1);
      left = left.map((a, i) => {
        const b = right[i];
        return a === undefined || b === undefined ? undefined : apply(a, b);
      });
    }
    return left;
  };
  const result = level(0);
  if (tokens.length > 0) throw new Error(`${tokens[0]} is left over in ${expression}`);
  return result;
};
