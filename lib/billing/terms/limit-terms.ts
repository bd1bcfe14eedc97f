import * as z from 'zod/mini';

/** By what stars are counted. Of two limits that leave as few stars, that of the first is told. */
export const counterKinds = ['spender', 'feature'] as const;
export type CounterKind = (typeof counterKinds)[number];

/** The times for which a limit holds, in UTC; weeks begin on Monday. `total` never begins anew. */
export const limitPeriods = ['day', 'week', 'month', 'total'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/** The spender or the feature whose stars are counted. */
export interface CounterName {
  kind: CounterKind;
  name: string;
}

/** A counter's name in one text. */
export const counterKey = ({ kind, name }: CounterName): string => `${kind}#${name}`;

/** Stars of a spend or hold that were counted at a time, and by what; by nothing where no limit was on. */
export const storedPiece = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  stars: z.number(),
  kinds: z.array(z.enum(counterKinds)),
});
export type CountedPiece = z.output<typeof storedPiece>;
