import * as z from 'zod/mini';

/** The most stars that are given or taken at once. */
export const mostStars = 1_000_000_000_000;
/** The most stars of a compartment: two compartments still sum to an exact number. */
export const mostInCompartment = 4_000_000_000_000_000;

/** A number of stars that is given or taken. */
export const someStars = () => z.int().check(z.gte(1), z.lte(mostStars));

/** A number of stars, or none. */
export const anyStars = () => z.int().check(z.nonnegative(), z.lte(mostStars));

/** Stars in a compartment. */
export const starsInCompartment = () => z.int().check(z.nonnegative(), z.lte(mostInCompartment));

/** The change of the stars in a compartment, whatever the cause. */
export const compartmentChange = () =>
  z.int().check(z.gte(-mostInCompartment), z.lte(mostInCompartment));

/** A change of stars: above 0 gives, below 0 takes. */
export const starsChange = () => z.int().check(z.gte(-mostStars), z.lte(mostStars));

/** The change of owed stars when some are forgiven: 0 or less. */
export const starsForgiven = () => z.int().check(z.gte(-mostStars), z.lte(0));

/** An amount of money, in the smallest unit of its currency. */
export const amount = () => z.int().check(z.nonnegative());

/** Stars in both compartments together. */
export const starsInWallet = () => z.int().check(z.nonnegative(), z.lte(2 * mostInCompartment));

/** The change of the stars in a wallet. */
export const walletChange = () =>
  z.int().check(z.gte(-2 * mostInCompartment), z.lte(2 * mostInCompartment));

/** A number of available stars that is worth an alert. The last star sets one off anyway. */
export const threshold = () => z.int().check(z.gte(1), z.lte(2 * mostInCompartment));
