import * as z from 'zod/mini';
import { absent, atVersion } from '../../../table/condition.ts';
import { places } from '../../../table/keys.ts';
import { type ItemOf, Kind } from '../../../table/kind.ts';
import { ConflictError } from '../../../table/retry.ts';
import type { Write } from '../../../table/table.ts';
import { put } from '../../../table/write.ts';
import type { CounterName } from '../../terms/limit-terms.ts';
import { refuseStored } from '../wallet-invariant.ts';

const stars = () => z.int().check(z.nonnegative());

const fields = {
  /** How often it was written. */
  version: z.int(),
  /** The wallet's time when it last counted: its numbers are of the periods that ran then. */
  at: z.number(),
  day: stars(),
  week: stars(),
  month: stars(),
  total: stars(),
};

/** The stars that were spent or held by a spender or for a feature, of each period that runs. */
export type SpendCounter = z.output<z.ZodMiniObject<typeof fields>>;

/** A counter, and what it is by now. */
export interface ChangedCounter {
  counter: CounterName;
  after: SpendCounter;
}

export const spendCounterKind = new Kind(places.spendCounter, {
  holds: 'what counted of spenders and features',
  attributes: z.object(fields),
  refuse: refuseStored,
});

export const toSpendCounter = ({
  pk,
  sk,
  ...counter
}: ItemOf<typeof spendCounterKind>): SpendCounter => counter;

/** A counter of which none is stored. */
export const emptyCounter: SpendCounter = {
  version: 0,
  at: 0,
  day: 0,
  week: 0,
  month: 0,
  total: 0,
};

/** Stores a counter in place of the counter that was read, or of none. */
export const putSpendCounter = (
  organizationId: string,
  { kind, name }: CounterName,
  { version, ...counter }: SpendCounter,
): Write<'PutItem'> =>
  put(
    spendCounterKind.key({ organizationId, kind, name }),
    { ...counter, version: version + 1 },
    {
      condition: version === 0 ? absent : atVersion(version),
      refused: () => new ConflictError(),
    },
  );
