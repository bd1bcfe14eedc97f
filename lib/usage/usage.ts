import * as z from 'zod/mini';
import type { UsedStars } from '../billing/stored/ledger-entry.ts';
import { timeOf, toWallet, type Wallet, walletKind } from '../billing/stored/wallet.ts';
import { feedIdOf } from '../changes/feed.ts';
import { ApiError, invalid } from '../errors/errors.ts';
import { decodeCursor, encodeCursor, type ListIdentity } from '../schema/cursor.ts';
import { shortName } from '../schema/fields.ts';
import { defaultLimit, pageOf, pageQuery } from '../schema/pages.ts';
import { queryParameter } from '../schema/query-parameter.ts';
import type { Table } from '../table/table.ts';
import { type Counted, usageKind } from './counted.ts';
import { countDays, dateOf, dayOf, daysBetween, monthOf } from './days.ts';
import { type Grouping, groupings, usageSumKind, usedOn } from './sums.ts';

/** The most days that usage is told of at once. */
export const mostDays = 366;

/** The query parameters of `GET /billing/usage`. */
export const usageQuery = z.strictObject({
  ...pageQuery,
  from: z
    .optional(queryParameter(z.iso.date()))
    .check(z.describe('The first day, in UTC; by default, the first of `to`’s month.')),
  to: z
    .optional(queryParameter(z.iso.date()))
    .check(
      z.describe(`The last day, in UTC: at most ${mostDays} with the first. By default, today.`),
    ),
  group_by: z
    .optional(queryParameter(z.enum(groupings)))
    .check(z.describe('`day` by default.'), z.meta({ default: 'day' })),
});
type UsageQuery = z.output<typeof usageQuery>;

const stars = (says: string) => z.int().check(z.nonnegative(), z.describe(says));

const item = z
  .strictObject({
    day: z.optional(z.iso.date()).check(z.describe('Only by `day`.')),
    name: z
      .optional(z.nullable(shortName()))
      .check(
        z.describe('Only by `feature` or `spender`: its name, `null` for stars that named none.'),
      ),
    spent_stars: stars('What spends and captures took.'),
    refunded_stars: stars(
      'What was refunded on these days, of whichever spends, also what was lost of it.',
    ),
  })
  .check(z.meta({ id: 'UsageItem' }));
type UsageItem = z.output<typeof item>;

/** The reply of `GET /billing/usage`. */
export const usage = z
  .strictObject({
    ...pageOf(item).shape,
    as_of: z.iso
      .datetime()
      .check(
        z.describe(
          'All that was spent and refunded until then is counted: usually now, or a second or two ago.',
        ),
      ),
  })
  .check(z.meta({ id: 'Usage' }));
type Usage = z.output<typeof usage>;

/**
 * A page of what was used: of all days, or of the names that were used on them, in their order. Throws `invalid_request` for
 * days out of order or too many, and `invalid_cursor`. A page of names reads as many sums of each month, and one more.
 */
export const readUsage = async (
  table: Table<'GetItem' | 'Query'>,
  organizationId: string,
  now: number,
  { cursor, limit = defaultLimit, to = dayOf(now), ...query }: UsageQuery,
): Promise<Usage> => {
  const { from = `${monthOf(to)}-01`, group_by: grouping = 'day' } = query;
  if (from > to) throw invalid('from', 'must not be after to');
  if (countDays(from, to) > mostDays) {
    throw invalid('to', `must be at most ${mostDays} days from the first one on`);
  }
  const identity: ListIdentity = [organizationId, 'getUsage', from, to, grouping];
  const after =
    cursor === undefined ? undefined : decodeCursor(identity, cursor, /^[\w.:-]{0,64}$/);
  const [counted, wallet] = await table.getAll([
    usageKind.key({ organizationId }),
    walletKind.key({ organizationId }),
  ]);
  if (!wallet) throw new ApiError('internal', { cause: new Error('organization has no wallet') });
  // The sums of a table that was restored may lack something, or have it twice: they are made anew.
  const current = counted?.feed_id === feedIdOf(organizationId) ? counted : undefined;
  const sums = new Sums(table, { organizationId, sumsId: current?.sums_id, grouping });
  const days = daysBetween(from, to);
  const { items, end } =
    grouping === 'day'
      ? await sums.byDay(days, after, limit)
      : await sums.byName(days, after, limit);
  return {
    items,
    next_cursor: end === undefined ? null : encodeCursor(identity, end),
    as_of: new Date(timeOfCount(current, toWallet(wallet), now)).toISOString(),
  };
};

/** The time until which all is counted. */
const timeOfCount = (counted: Counted | undefined, wallet: Wallet, now: number): number => {
  const { checkpoint = 0, counted_until } = counted ?? {};
  if (checkpoint >= wallet.version) return timeOf(wallet, now);
  return counted_until === undefined ? wallet.opened_at : Date.parse(counted_until);
};

/** A part of a list, and the sort key after which it goes on; undefined at its end. */
interface UsagePart {
  items: UsageItem[];
  end: string | undefined;
}

/** The sums of one grouping, as far as there are any. */
class Sums {
  readonly #table: Table<'GetItem' | 'Query'>;
  readonly #ids: { organizationId: string; grouping: Grouping };
  readonly #sumsId: string | undefined;

  constructor(
    table: Table<'GetItem' | 'Query'>,
    { sumsId, ...ids }: { organizationId: string; sumsId: string | undefined; grouping: Grouping },
  ) {
    this.#table = table;
    this.#ids = ids;
    this.#sumsId = sumsId;
  }

  /** Each day, also those without usage. */
  async byDay(
    all: readonly string[],
    after: string | undefined,
    limit: number,
  ): Promise<UsagePart> {
    const left = all.filter((day) => after === undefined || day > after);
    const days = left.slice(0, limit);
    const months = [...new Set(days.map(monthOf))];
    const sumsId = this.#sumsId;
    const sums = await this.#table.getAll(
      months.map((month) => (sumsId === undefined ? undefined : this.#keyOf(sumsId, month))),
    );
    return {
      items: days.map((day) => ({
        day,
        ...usedOn(sums[months.indexOf(monthOf(day))], dateOf(day)),
      })),
      end: days.length < left.length ? days.at(-1) : undefined,
    };
  }

  #keyOf(sumsId: string, month: string) {
    return usageSumKind.key({ ...this.#ids, sumsId, month, name: '' });
  }

  /** Each name that was used on one of the days. Of each month, the names after one, as many as a page has and one more. */
  async byName(
    days: readonly string[],
    after: string | undefined,
    limit: number,
  ): Promise<UsagePart> {
    const months = [...Map.groupBy(days, monthOf)];
    const names = new Map<string, UsedStars>();
    await Promise.all(
      months.map(async ([month, ofMonth]) => {
        for (const { name, sums } of await this.#readMonth(month, after, limit + 1)) {
          const used = names.get(name) ?? { spent_stars: 0, refunded_stars: 0 };
          for (const day of ofMonth) {
            const { spent_stars, refunded_stars } = usedOn(sums, dateOf(day));
            used.spent_stars += spent_stars;
            used.refunded_stars += refunded_stars;
          }
          names.set(name, used);
        }
      }),
    );
    const all = [...names.keys()].sort();
    const shown = all.slice(0, limit);
    return {
      items: shown
        .map((name) => ({ name: name || null, ...names.get(name)! }))
        .filter(({ spent_stars, refunded_stars }) => spent_stars > 0 || refunded_stars > 0),
      end: shown.length < all.length ? shown.at(-1) : undefined,
    };
  }

  async #readMonth(month: string, after: string | undefined, limit: number) {
    if (this.#sumsId === undefined) return [];
    const first = this.#keyOf(this.#sumsId, month);
    const { items } = await this.#table.query({
      kind: usageSumKind,
      condition: 'pk = :pk AND begins_with(sk, :prefix)',
      values: { ':pk': first.pk, ':prefix': first.sk },
      limit,
      startAfter: after === undefined ? undefined : { pk: first.pk, sk: `${first.sk}${after}` },
      consistent: true,
    });
    return items.map((sums) => ({ name: usageSumKind.idsOf(sums).name, sums }));
  }
}
