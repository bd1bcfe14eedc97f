import { validate } from 'uuid';

// Options are checked where a program gives them: else a wrong option would be felt long after, or never.

/** Throws a `TypeError` for what is no object. */
export const assertObject = (what: string, given: unknown): void => {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return;
  throw new TypeError(`${what} must be an object, not ${shown(given)}`);
};

/** Throws a `TypeError` for what is no object, or has another name than these. */
export const assertNames = (what: string, given: object, names: readonly string[]): void => {
  assertObject(what, given);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${what} must not have ${shown(unknown)}: there are ${names.join(', ')}`);
};

/** Throws a `TypeError` for what is no number, a `RangeError` for what is no whole number of the range. */
export const assertWhole = (name: string, given: unknown, least: number, most: number): void => {
  if (Number.isInteger(given) && Number(given) >= least && Number(given) <= most) return;
  const message = `${name} must be a whole number from ${least} to ${most}, not ${shown(given)}`;
  throw typeof given === 'number' ? new RangeError(message) : new TypeError(message);
};

/** Throws a `TypeError` for what is no UUID. */
export const assertUuid = (name: string, given: unknown): void => {
  if (!validate(given)) throw new TypeError(`${name} must be a UUID, not ${shown(given)}`);
};

/** Throws a `TypeError` for what is no `AbortSignal`. */
export const assertSignal = (given: unknown): void => {
  if (typeof (given as AbortSignal | null)?.throwIfAborted === 'function') return;
  throw new TypeError(`signal must be an AbortSignal, not ${shown(given)}`);
};

/** The given value, in a few words. */
export const shown = (given: unknown): string => {
  if (typeof given === 'string') {
    return given.length > 100 ? `a text of ${given.length} characters` : JSON.stringify(given);
  }
  if (typeof given === 'function') return 'a function';
  if (typeof given !== 'object' || given === null) return String(given);
  if (!Array.isArray(given)) return 'an object';
  return given.length === 0 ? 'an empty list' : 'a list';
};
