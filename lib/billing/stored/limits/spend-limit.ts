import * as z from 'zod/mini';
import { places } from '../../../table/keys.ts';
import { type ItemOf, Kind } from '../../../table/kind.ts';
import { type CounterKind, type CounterName, limitPeriods } from '../../terms/limit-terms.ts';
import { starsInWallet, threshold } from '../../terms/stars.ts';
import { refuseStored } from '../wallet-invariant.ts';

/** What a limit says. */
export const limitFields = {
  stars: starsInWallet().check(
    z.describe('The most that may be spent and held within a period; 0 for none.'),
  ),
  period: z
    .enum(limitPeriods)
    .check(
      z.describe(
        'In UTC; a `week` begins on Monday, `total` never begins anew. Another period begins with what was spent in it.',
      ),
    ),
  enabled: z
    ._default(z.boolean(), true)
    .check(z.describe('One that is not `enabled` counts and tells, and refuses nothing.')),
  alert_at: z
    ._default(z.nullable(threshold()), null)
    .check(z.describe('At so many used stars, `spend_limit.low` is sent. At most `stars`.')),
};

/** The most stars that may be spent by somebody, or for something, within a period. */
export type SpendLimit = z.output<z.ZodMiniObject<typeof limitFields>>;

export const limitKinds = ['spender', 'feature', 'default'] as const;
export type LimitKind = (typeof limitKinds)[number];

/** The spender or the feature that is limited. Kind `default` is for each spender without a limit of its own. */
export interface LimitName {
  kind: LimitKind;
  name: string;
}

/** The limit of each spender without its own. */
export const spenderDefault = { kind: 'default', name: 'spender' } as const satisfies LimitName;

/** What a limit counts by. */
export const counterKindOf = ({ kind }: LimitName): CounterKind =>
  kind === 'default' ? 'spender' : kind;

/** A limit's name in one text. */
export const limitKey = ({ kind, name }: LimitName): string => `${kind}#${name}`;

export const limitKind = new Kind(places.spendLimit, {
  holds: 'spend limits',
  attributes: z.object({ ...limitFields, version: z.int() }),
  refuse: refuseStored,
});

export const toSpendLimit = ({ pk, sk, version, ...limit }: ItemOf<typeof limitKind>): SpendLimit =>
  limit;

/** The names of the limits that may hold for a counter, the one that comes first. */
export const limitNamesOf = (counter: CounterName): LimitName[] =>
  counter.kind === 'spender' ? [counter, spenderDefault] : [counter];
