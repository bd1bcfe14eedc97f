import * as z from 'zod/mini';
import { toldOrigin } from '../../facts/origin.ts';
import { eventId, feature, reason, spender } from '../terms/fields.ts';
import {
  anyStars,
  compartmentChange,
  starsInCompartment,
  starsInWallet,
  walletChange,
} from '../terms/stars.ts';

/**
 * One change of a wallet, never changed itself. Entries chain: `monthly_after` is that of the entry before, less
 * `monthly_lapsed`, plus `monthly_change`; `pack_after` likewise; `held_after` is that of the entry before plus
 * `held_change`, `owed_after` likewise.
 */
export const ledgerEntry = z
  .strictObject({
    version: z
      .int()
      .check(
        z.gte(1),
        z.describe('The wallet’s version after this entry: entries are numbered without gaps.'),
      ),
    at: z.iso.datetime(),
    written_at: z
      .nullable(z.iso.datetime())
      .check(
        z.describe(
          'When what the clock did, `stars.granted`, `stars.lapsed` or `hold.expired`, was written down; else null.',
        ),
      ),
    type: z.string().check(z.describe('What caused it, such as `organization.provisioned`.')),
    event_id: z
      .nullable(eventId())
      .check(
        z.describe(
          'The cause’s own id: it changes a wallet once. All entries of a hold have the hold’s id, `stars.granted` and `stars.lapsed` have none.',
        ),
      ),
    ...toldOrigin,
    refunds: z
      .nullable(eventId())
      .check(
        z.describe('Of a refund: the `event_id` of the spend, or of the hold that was captured.'),
      ),
    reverses: z
      .nullable(eventId())
      .check(z.describe('Of a reversal: the `event_id` of what was paid.')),
    reason: z
      .nullable(reason())
      .check(
        z.describe(
          'What ends a hold has the hold’s. So has a refund that of its spend, unless it has its own.',
        ),
      ),
    feature: z
      .nullable(feature())
      .check(
        z.describe(
          'What the stars are for; what ends a hold has the hold’s, a refund its spend’s.',
        ),
      ),
    spender: z.nullable(spender()).check(z.describe('Who uses the stars, likewise.')),
    stars: walletChange().check(
      z.describe(
        'What the cause gave, or took (below 0): `monthly_change` plus `pack_change` less `owed_change`.',
      ),
    ),
    monthly_lapsed: starsInCompartment().check(
      z.describe(
        'Monthly stars that lapsed at this time: as the next month began, or after the last one.',
      ),
    ),
    pack_lapsed: starsInCompartment().check(z.describe('Stars of packs that expired, likewise.')),
    monthly_change: compartmentChange(),
    pack_change: compartmentChange(),
    held_change: walletChange().check(
      z.describe('How many more of the stars are held. They stay in their compartment meanwhile.'),
    ),
    owed_change: compartmentChange().check(
      z.describe('How many more stars are owed: taken back, but not there.'),
    ),
    monthly_after: starsInCompartment(),
    pack_after: starsInCompartment(),
    held_after: starsInWallet(),
    owed_after: starsInCompartment(),
    lost: z
      .array(
        z.strictObject({
          compartment: z.enum(['monthly', 'pack']),
          stars: anyStars(),
          expires_at: z.iso.datetime(),
        }),
      )
      .check(
        // Stars of the month, of up to 100 packs that expire, and of packs that do not.
        z.maxLength(102),
        z.describe('Stars that came too late: their month or pack had ended at `expires_at`.'),
      ),
  })
  .check(z.meta({ id: 'LedgerEntry' }));
export type LedgerEntry = z.output<typeof ledgerEntry>;

/** What the cause gave, or took: below 0. */
export const starsOf = ({
  monthly_change,
  pack_change,
  owed_change,
}: Pick<LedgerEntry, 'monthly_change' | 'pack_change' | 'owed_change'>): number =>
  monthly_change + pack_change - owed_change;

/** Stars that an entry's cause used, or gave back of what was used before. */
export interface UsedStars {
  spent_stars: number;
  refunded_stars: number;
}

const none: UsedStars = { spent_stars: 0, refunded_stars: 0 };

/**
 * How an entry counts as usage. Spent is what spends and captures took; refunded is all that a refund is of, what was lost
 * of it included. What lapses, expires, is held, reversed or adjusted is neither.
 */
export const usedStarsOf = ({
  type,
  stars,
  lost,
}: Pick<LedgerEntry, 'type' | 'stars' | 'lost'>): UsedStars => {
  switch (type) {
    case 'stars.spent':
    case 'hold.captured':
      return { ...none, spent_stars: -stars };
    case 'stars.refunded':
      return { ...none, refunded_stars: lost.reduce((all, one) => all + one.stars, stars) };
    default:
      return none;
  }
};

/** What is used in all, with one entry more. */
export const withUsed = (
  used: UsedStars,
  entry: Pick<LedgerEntry, 'type' | 'stars' | 'lost'>,
): UsedStars => {
  const { spent_stars, refunded_stars } = usedStarsOf(entry);
  return {
    spent_stars: used.spent_stars + spent_stars,
    refunded_stars: used.refunded_stars + refunded_stars,
  };
};

/** What an entry says where nothing else is known: with it, nothing has changed. */
export const emptyEntry: Omit<LedgerEntry, 'version' | 'at' | 'type'> = {
  event_id: null,
  written_at: null,
  user_id: null,
  request_id: null,
  refunds: null,
  reverses: null,
  reason: null,
  feature: null,
  spender: null,
  stars: 0,
  monthly_lapsed: 0,
  pack_lapsed: 0,
  monthly_change: 0,
  pack_change: 0,
  held_change: 0,
  owed_change: 0,
  monthly_after: 0,
  pack_after: 0,
  held_after: 0,
  owed_after: 0,
  lost: [],
};
