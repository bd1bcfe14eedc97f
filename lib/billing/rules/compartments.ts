import { inPeriod, nextGrant, type Pack, type Wallet } from '../wallet.ts';

export type Compartment = 'monthly' | 'pack';

/** Stars that were taken together: from a period, from packs that expire together, or from those that stay. */
export interface Part {
  compartment: Compartment;
  /** The end of the period, or the expiry of the pack; absent for pack stars that stay. */
  expires_at?: number;
  stars: number;
}

type Amounts = Record<Compartment, number>;

export const sum = (parts: readonly Pick<Part, 'stars'>[]): number =>
  parts.reduce((stars, part) => stars + part.stars, 0);

/**
 * The wallet at a moment: without what has lapsed since its last entry, and how much that was. Between two periods its
 * grant is that of the next: that of the last one depends on the order in which events came.
 */
export const lapse = (wallet: Wallet, now: number): { current: Wallet; lapsed: Amounts } => {
  const isInPeriod = inPeriod(wallet, now);
  const monthly = isInPeriod ? 0 : wallet.monthly_stars - wallet.held.monthly;
  const pack = wallet.packs
    .filter(({ expires_at }) => expires_at <= now)
    .reduce((stars, one) => stars + one.stars - one.held, 0);
  const current = {
    ...wallet,
    monthly_stars: wallet.monthly_stars - monthly,
    pack_stars: wallet.pack_stars - pack,
    packs: wallet.packs.filter(({ expires_at }) => expires_at > now),
    ...(!isInPeriod && { monthly_grant_stars: nextGrant(wallet), next_grant_stars: undefined }),
  };
  return { current, lapsed: { monthly, pack } };
};

/** The stars that no hold has, in the order in which they are spent. The wallet has no lapsed stars any more. */
export const freeParts = (wallet: Wallet): Part[] => {
  const { monthly_stars, pack_stars, held, subscription } = wallet;
  const expiring: Part[] = wallet.packs.map(({ expires_at, stars, held }) => ({
    compartment: 'pack',
    expires_at,
    stars: stars - held,
  }));
  const monthly: Part = {
    compartment: 'monthly',
    expires_at: subscription?.current_period_end ?? 0,
    stars: monthly_stars - held.monthly,
  };
  const staying: Part = { compartment: 'pack', stars: pack_stars - held.pack - sum(expiring) };
  return [monthly, ...expiring, staying].filter(({ stars }) => stars > 0);
};

/** Takes so many stars, from the first part on. Undefined where the parts have fewer. */
export const take = (
  parts: readonly Part[],
  stars: number,
): { taken: Part[]; rest: Part[] } | undefined => {
  let left = stars;
  const [taken, rest]: [Part[], Part[]] = [[], []];
  for (const part of parts) {
    const some = Math.min(part.stars, left);
    left -= some;
    if (some > 0) taken.push({ ...part, stars: some });
    if (some < part.stars) rest.push({ ...part, stars: part.stars - some });
  }
  return left === 0 ? { taken, rest } : undefined;
};

/** Whether stars that come back can still be used: their period or pack has not ended. */
export const isLive = (wallet: Wallet, part: Part, now: number): boolean =>
  part.compartment === 'monthly'
    ? inPeriod(wallet, now) && part.expires_at === wallet.subscription?.current_period_end
    : part.expires_at === undefined || now < part.expires_at;

/** The wallet with the parts added to (1) or taken from (-1) its stars, and its held stars. */
export const moved = (
  wallet: Wallet,
  parts: readonly Part[],
  by: { stars?: 1 | -1; held?: 1 | -1 },
  now: number,
): Wallet => {
  const { stars: ofStars = 0, held: ofHeld = 0 } = by;
  let { monthly_stars, pack_stars, packs, held } = wallet;
  for (const { compartment, expires_at, stars } of parts) {
    held = { ...held, [compartment]: held[compartment] + ofHeld * stars };
    if (compartment === 'monthly') {
      monthly_stars += ofStars * stars;
      continue;
    }
    pack_stars += ofStars * stars;
    if (expires_at !== undefined && expires_at > now) {
      packs = withPack(packs, expires_at, ofStars * stars, ofHeld * stars);
    }
  }
  return { ...wallet, monthly_stars, pack_stars, packs, held };
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

/** The wallet after held parts came back. Also tells which of them lapsed, because their period or pack has ended. */
export const returned = (
  wallet: Wallet,
  parts: readonly Part[],
  now: number,
): { wallet: Wallet; lapsed: Amounts } => {
  const ended = parts.filter((part) => !isLive(wallet, part, now));
  const of = (compartment: Compartment) =>
    sum(ended.filter((part) => part.compartment === compartment));
  const free = moved(wallet, parts, { held: -1 }, now);
  return {
    wallet: moved(free, ended, { stars: -1 }, now),
    lapsed: { monthly: of('monthly'), pack: of('pack') },
  };
};
