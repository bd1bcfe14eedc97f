import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import type { ListIdentity } from '../schema/cursor.ts';
import { shortName } from '../schema/fields.ts';
import type { ItemOf } from '../table/kind.ts';
import { readPage } from '../table/pages.ts';
import type { Table } from '../table/table.ts';
import { countExpired, readExpired } from './limits/expired-holds.ts';
import { type LimitState, limitOf } from './limits/limit-rules.ts';
import { resetsAt } from './limits/periods.ts';
import { readSpendCounters } from './limits/read-limits.ts';
import { usedStars } from './limits/spend-counter.ts';
import { readUntil } from './read-balance.ts';
import { emptyCounter } from './stored/limits/spend-counter.ts';
import {
  type LimitName,
  limitFields,
  limitKind,
  limitKinds,
  type SpendLimit,
  spenderDefault,
  toSpendLimit,
} from './stored/limits/spend-limit.ts';
import { timeOf } from './stored/wallet.ts';
import { limitName } from './terms/fields.ts';
import { type CounterName, counterKey } from './terms/limit-terms.ts';

/** The path of a limit. */
export const limitPath = z
  .strictObject({
    kind: z.enum(limitKinds),
    name: limitName().check(
      z.describe(
        'A spender or a feature; with kind `default`, `spender`: for each without its own.',
      ),
    ),
  })
  .check(
    z.refine(({ kind, name }) => kind !== 'default' || name === spenderDefault.name, {
      path: ['name'],
      error: `must be ${spenderDefault.name} with kind default`,
    }),
  );

const usedCount = () => z.nullable(z.int().check(z.nonnegative()));

/** A limit as the API answers it. */
export const toldLimit = z
  .strictObject({
    kind: z.enum(limitKinds),
    name: shortName(),
    ...limitFields,
    enabled: z.boolean(),
    alert_at: z.nullable(z.int()),
    by_default: z
      .boolean()
      .check(z.describe('Whether it is the default, told of a spender without its own.')),
    used_stars: usedCount().check(
      z.describe('Spent and held in the period that runs; null for the default itself.'),
    ),
    left_stars: usedCount().check(z.describe('What may still be spent or held, likewise.')),
    resets_at: z
      .nullable(z.iso.datetime())
      .check(z.describe('When the next period begins; null for `total`.')),
  })
  .check(z.meta({ id: 'SpendLimit' }));
type ToldLimit = z.output<typeof toldLimit>;

/** The counters at a time of the wallet. */
interface CounterReading {
  now: number;
  state: LimitState;
}

const tell = (
  { kind, name }: LimitName,
  limit: SpendLimit,
  by_default: boolean,
  { now, state }: CounterReading,
): ToldLimit => {
  const counter =
    kind === 'default'
      ? undefined
      : (state.counters.get(counterKey({ kind, name })) ?? emptyCounter);
  const used_stars = counter ? usedStars(counter, limit.period, now) : null;
  return {
    kind,
    name,
    ...limit,
    by_default,
    used_stars,
    left_stars: used_stars === null ? null : Math.max(0, limit.stars - used_stars),
    resets_at: resetsAt(limit.period, now),
  };
};

/** The counter of a limit's own: the default has none. */
const counterNamesOf = ({ kind, name }: LimitName): CounterName[] =>
  kind === 'default' ? [] : [{ kind, name }];

/** The counters with what expired holds gave back, which nobody has written down yet. */
const readCounting = async (
  table: Table<'GetItem' | 'Query'>,
  organizationId: string,
  names: readonly CounterName[],
  clock: number,
): Promise<CounterReading> => {
  const { wallet, steps } = await readUntil(table, organizationId, clock);
  const expired = steps.flatMap((step) => step.expired ?? []);
  const [state, ofHolds] = await Promise.all([
    readSpendCounters(table, organizationId, names),
    readExpired(table, organizationId, expired),
  ]);
  const counted = countExpired(ofHolds, wallet, steps);
  const after = counted.flatMap(({ counters = [] }) =>
    [...counters].map(([key, one]) => [key, one.after] as const),
  );
  return {
    now: timeOf(wallet, clock),
    state: { ...state, counters: new Map([...state.counters, ...after]) },
  };
};

/** A limit, or for a spender without its own the default. Throws `not_found` where there is neither. */
export const readToldLimit = async (
  table: Table<'GetItem' | 'Query'>,
  organizationId: string,
  { kind, name }: LimitName,
  clock: number,
): Promise<ToldLimit> => {
  if (kind === 'default') {
    const stored = await table.get(limitKind.key({ organizationId, kind, name }));
    if (!stored) throw new ApiError('not_found');
    return tellLimit(table, organizationId, { kind, name }, toSpendLimit(stored), clock);
  }
  const reading = await readCounting(table, organizationId, [{ kind, name }], clock);
  const own = limitOf(reading.state, { kind, name });
  if (!own) throw new ApiError('not_found');
  return tell({ kind, name }, own.limit, own.by_default, reading);
};

/** The pattern of sort keys of limits. */
const pattern = /^(default|feature|spender)#[\w.:-]{1,64}$/;

/** A page of limits: that of spenders' default, then features, then spenders, by their names. */
export const readToldLimits = async (
  table: Table<'GetItem' | 'Query'>,
  organizationId: string,
  query: { cursor?: string | undefined; limit?: number | undefined },
  clock: number,
): Promise<{ items: ToldLimit[]; next_cursor: string | null }> => {
  const toNamed = (item: ItemOf<typeof limitKind>) => {
    const { kind, name } = limitKind.idsOf(item);
    return { name: { kind, name } as LimitName, limit: toSpendLimit(item) };
  };
  const identity: ListIdentity = [organizationId, 'listSpendLimits'];
  const pk = limitKind.partition({ organizationId });
  const list = { identity, kind: limitKind, pk, pattern, toItem: toNamed };
  const { items, next_cursor } = await readPage(table, list, query);
  const counters = items.flatMap(({ name }) => counterNamesOf(name));
  const reading = await readCounting(table, organizationId, counters, clock);
  return { items: items.map(({ name, limit }) => tell(name, limit, false, reading)), next_cursor };
};

/** A limit of its own, as it is put or stored, with what was used of it. */
export const tellLimit = async (
  table: Table<'GetItem' | 'Query'>,
  organizationId: string,
  name: LimitName,
  limit: SpendLimit,
  clock: number,
): Promise<ToldLimit> => {
  const reading = await readCounting(table, organizationId, counterNamesOf(name), clock);
  return tell(name, limit, false, reading);
};
