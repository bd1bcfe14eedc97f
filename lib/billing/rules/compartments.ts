import { type Compartment, type Lot, sum } from '../stored/lots.ts';
import { isInMonth, type Pack, type Wallet } from '../stored/wallet.ts';
import type { Tick } from './causes.ts';

type Amounts = Record<Compartment, number>;

/**
 * The wallet at a moment: without what has lapsed since its last entry, and how much that was. What the beginning of a month
 * does is an entry of its own.
 */
export const lapse = (wallet: Wallet, now: number): { current: Wallet; lapsed: Amounts } => {
  const isRunning = isInMonth(wallet, now);
  const monthly = isRunning ? 0 : wallet.monthly_stars - wallet.held.monthly;
  const pack = wallet.packs
    .filter(({ expires_at }) => expires_at <= now)
    .reduce((stars, one) => stars + one.stars - one.held, 0);
  const current = {
    ...wallet,
    monthly_stars: wallet.monthly_stars - monthly,
    pack_stars: wallet.pack_stars - pack,
    packs: wallet.packs
      .map((one) => (one.expires_at > now ? one : { ...one, stars: one.held }))
      .filter(({ stars }) => stars > 0),
    ...(!isRunning && {
      ...{ month: undefined, monthly_grant_stars: 0, monthly_lapse_at: undefined },
      held_of_earlier_months: wallet.held.monthly,
    }),
  };
  return { current: withStillHeld(current), lapsed: { monthly, pack } };
};

/** When stars of the wallet lapse next, in milliseconds since the epoch; undefined if there are none that do. */
const nextLapse = ({
  monthly_stars,
  held,
  packs,
  monthly_lapse_at,
}: Wallet): number | undefined => {
  const pack = packs.find((one) => one.stars > one.held)?.expires_at;
  const month = monthly_stars > held.monthly ? monthly_lapse_at : undefined;
  return pack === undefined || month === undefined ? (pack ?? month) : Math.min(pack, month);
};

/** The clock's next work, and its time in milliseconds since the epoch; undefined if there is none. */
export const nextTick = (wallet: Wallet): { at: number; tick: Tick } | undefined => {
  const lapse = nextLapse(wallet) ?? Number.POSITIVE_INFINITY;
  const { at } = wallet.next_grant ?? { at: Number.POSITIVE_INFINITY };
  if (Math.min(lapse, at) === Number.POSITIVE_INFINITY) return undefined;
  // Stars that lapse as a month begins are told in the entry of the grant.
  if (at <= lapse) return { at, tick: { type: 'stars.granted', event_id: null } };
  return { at: lapse, tick: { type: 'stars.lapsed', event_id: null } };
};

/** The stars that no hold has, in the order in which they are spent. The wallet has no lapsed stars any more. */
export const freeLots = (wallet: Wallet): Lot[] => {
  const { monthly_stars, pack_stars, held, months, month } = wallet;
  const expiring: Lot[] = wallet.packs.map(({ expires_at, stars, held }) => ({
    compartment: 'pack',
    expires_at,
    stars: stars - held,
  }));
  const monthly: Lot = {
    compartment: 'monthly',
    month: months,
    expires_at: month?.until ?? 0,
    stars: monthly_stars - held.monthly,
  };
  const staying: Lot = { compartment: 'pack', stars: pack_stars - held.pack - sum(expiring) };
  return [monthly, ...expiring, staying].filter(({ stars }) => stars > 0);
};

/** Takes stars, from the first lot on. Undefined if the lots have fewer. */
export const take = (
  lots: readonly Lot[],
  stars: number,
): { takenLots: Lot[]; rest: Lot[] } | undefined => {
  let left = stars;
  const [takenLots, rest]: [Lot[], Lot[]] = [[], []];
  for (const lot of lots) {
    const takenStars = Math.min(lot.stars, left);
    left -= takenStars;
    if (takenStars > 0) takenLots.push({ ...lot, stars: takenStars });
    if (takenStars < lot.stars) rest.push({ ...lot, stars: lot.stars - takenStars });
  }
  return left === 0 ? { takenLots, rest } : undefined;
};

/** Takes stars, from the first lot on, as far as the lots have them. */
export const takeUpTo = (lots: readonly Lot[], stars: number): Lot[] =>
  take(lots, Math.min(stars, sum(lots)))?.takenLots ?? [];

/** Whether stars that come back can still be used: their month or pack has not ended. */
export const isLive = (wallet: Wallet, lot: Lot, now: number): boolean =>
  lot.compartment === 'monthly'
    ? isInMonth(wallet, now) && lot.month === wallet.months
    : lot.expires_at === undefined || now < lot.expires_at;

/** The wallet with the lots added to (1) or taken from (-1) its stars, and its held stars. */
export const moveStars = (
  wallet: Wallet,
  lots: readonly Lot[],
  by: { stars?: 1 | -1; held?: 1 | -1 },
): Wallet => {
  const { stars: ofStars = 0, held: ofHeld = 0 } = by;
  let { monthly_stars, pack_stars, packs, held, held_of_earlier_months } = wallet;
  for (const { compartment, month, expires_at, stars } of lots) {
    held = { ...held, [compartment]: held[compartment] + ofHeld * stars };
    if (compartment === 'monthly') {
      monthly_stars += ofStars * stars;
      if (!wallet.month || month !== wallet.months) held_of_earlier_months += ofHeld * stars;
      continue;
    }
    pack_stars += ofStars * stars;
    if (expires_at !== undefined) {
      packs = withPack(packs, expires_at, ofStars * stars, ofHeld * stars);
    }
  }
  return { ...wallet, monthly_stars, pack_stars, packs, held, held_of_earlier_months };
};

const withPack = (
  packs: readonly Pack[],
  expires_at: number,
  stars: number,
  held: number,
): Pack[] => {
  const before = packs.find((one) => one.expires_at === expires_at) ?? { stars: 0, held: 0 };
  const after = { expires_at, stars: before.stars + stars, held: before.held + held };
  return [...packs.filter((one) => one.expires_at !== expires_at), after]
    .filter((one) => one.stars > 0)
    .sort((a, b) => a.expires_at - b.expires_at);
};

/** The wallet after held lots came back, and which of them lapsed, because their month or pack has ended. */
export const returnStars = (
  wallet: Wallet,
  lots: readonly Lot[],
  now: number,
): { wallet: Wallet; lapsed: Amounts } => {
  const ended = lots.filter((lot) => !isLive(wallet, lot, now));
  const of = (compartment: Compartment) =>
    sum(ended.filter((lot) => lot.compartment === compartment));
  const free = moveStars(wallet, lots, { held: -1 });
  return {
    wallet: moveStars(free, ended, { stars: -1 }),
    lapsed: { monthly: of('monthly'), pack: of('pack') },
  };
};

/**
 * Free stars in the order in which they pay owed stars: packs that expire soonest first, then packs that stay, then
 * monthly stars.
 */
const payingLots = (wallet: Wallet): Lot[] => {
  const lots = freeLots(wallet);
  const isPack = ({ compartment }: Lot) => compartment === 'pack';
  return [...lots.filter(isPack), ...lots.filter((lot) => !isPack(lot))];
};

/** Pays owed stars with free stars, and tells with which. So a wallet that owes stars has no free stars. */
export const payOwed = (wallet: Wallet): { wallet: Wallet; paidLots: Lot[] } => {
  const current = withStillHeld(wallet);
  if (current.owed_stars === 0) return { wallet: current, paidLots: [] };
  const paidLots = takeUpTo(payingLots(current), current.owed_stars);
  const after = moveStars(current, paidLots, { stars: -1 });
  const owed_stars = current.owed_stars - sum(paidLots);
  return { wallet: { ...after, owed_stars }, paidLots };
};

/** The wallet whose owed held stars are those that holds still have: of months, those of the month that runs. */
export const withStillHeld = (wallet: Wallet): Wallet => ({
  ...wallet,
  reversed_held: wallet.reversed_held
    .map((one) => ({ ...one, stars: Math.min(one.stars, heldOf(wallet, one)) }))
    .filter(({ stars }) => stars > 0),
});

/**
 * Monthly stars of the month that runs, or the pack stars with the same expiry, whichever purchase gave them. Without an
 * expiry: the pack stars that stay.
 */
export type Pool = Pick<Lot, 'compartment' | 'expires_at'>;

export const isOfPool = ({ compartment, expires_at }: Lot, pool: Pool): boolean =>
  compartment === pool.compartment && (compartment === 'monthly' || expires_at === pool.expires_at);

/** How many stars of a pool holds have. */
export const heldOf = (
  { packs, held, held_of_earlier_months }: Wallet,
  { compartment, expires_at }: Pool,
): number => {
  if (compartment === 'monthly') return held.monthly - held_of_earlier_months;
  return expires_at === undefined
    ? packs.reduce((left, pack) => left - pack.held, held.pack)
    : (packs.find((pack) => pack.expires_at === expires_at)?.held ?? 0);
};

/** How many of those are owed. */
export const reversedHeldOf = ({ reversed_held }: Wallet, pool: Pool): number =>
  reversed_held.find((lot) => isOfPool(lot, pool))?.stars ?? 0;

/** The wallet with more held stars that are owed, or fewer. */
export const withReversedHeld = (wallet: Wallet, pool: Pool, change: number): Wallet => {
  const { compartment, expires_at } = pool;
  const stars = Math.max(0, reversedHeldOf(wallet, pool) + change);
  const others = wallet.reversed_held.filter((lot) => !isOfPool(lot, pool));
  const own = { compartment, ...(expires_at !== undefined && { expires_at }), stars };
  return { ...wallet, reversed_held: stars > 0 ? [...others, own] : others };
};

/** Stars of a pool that are there: free stars, then stars that are in holds and not owed. */
export const countUnspent = (wallet: Wallet, pool: Pool, stars: number) => {
  const allFree = sum(freeLots(wallet).filter((lot) => isOfPool(lot, pool)));
  const free = Math.min(stars, allFree);
  const held = Math.min(stars - free, heldOf(wallet, pool) - reversedHeldOf(wallet, pool));
  return { free, held };
};
