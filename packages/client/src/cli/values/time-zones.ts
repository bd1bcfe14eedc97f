import { CliError } from '../cli-error.ts';

/** Throws `CliError` for a zone that is not known. */
export const assertTimeZone = (timeZone: string): void => {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw new CliError(
      `--time-zone “${timeZone}” is not known. Say one such as America/Sao_Paulo, or UTC.`,
    );
  }
};

const day = 86_400_000;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** What a clock of the zone shows at a moment, as `2026-11-21 09:00:00`. */
const shownAt = (at: number, timeZone: string): string => {
  let clock = clocks.get(timeZone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    clocks.set(timeZone, clock);
  }
  return clock.format(at);
};

/** The day that it is in the zone at a moment. */
export const dayIn = (at: number, timeZone: string): string => shownAt(at, timeZone).slice(0, 10);

/**
 * A moment by what a clock shows there. Of an hour that there is twice, the first. A time that the clock passes over moves
 * forward by as much as the clock does.
 */
export const inZone = (local: string, timeZone: string): string => {
  const wanted = Date.parse(`${local}Z`);
  const offsetAt = (at: number) =>
    Date.parse(`${shownAt(at, timeZone).replace(' ', 'T')}Z`) - Math.floor(at / 1000) * 1000;
  const [before, after] = [offsetAt(wanted - day), offsetAt(wanted + day)];
  const isShown = (offset: number) => offsetAt(wanted - offset) === offset;
  const offset = [Math.max(before, after), Math.min(before, after)].find(isShown) ?? before;
  return new Date(wanted - offset).toISOString();
};
