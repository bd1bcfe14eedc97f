/** An exact number: `n` of `d` parts, `d` above 0. */
export interface Fraction {
  n: bigint;
  d: bigint;
}

export const fraction = (n: number, d = 1): Fraction => ({ n: BigInt(n), d: BigInt(d) });

export const add = (a: Fraction, b: Fraction): Fraction =>
  a.d === b.d ? { n: a.n + b.n, d: a.d } : { n: a.n * b.d + b.n * a.d, d: a.d * b.d };

export const multiply = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d });

export const sumUp = (fractions: readonly Fraction[]): Fraction =>
  fractions.reduce(add, fraction(0));

/** The greatest whole number that is not above it. */
export const floor = ({ n, d }: Fraction): number =>
  Number(n >= 0n || n % d === 0n ? n / d : n / d - 1n);
