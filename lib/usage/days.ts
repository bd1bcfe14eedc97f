// Days and months in UTC, as ISO 8601 writes them: 2026-11-28, 2026-11.

const dayMs = 24 * 60 * 60 * 1000;

/** The day of a time in milliseconds since the epoch. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The month of a day, or of a time as the API tells it. */
export const monthOf = (day: string): string => day.slice(0, 7);

/** The number of a day in its month, of two digits. */
export const dateOf = (day: string): string => day.slice(8, 10);

/** How many days there are from one to another, both included. */
export const countDays = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / dayMs + 1;

/** All days from one to another, both included. */
export const daysBetween = (from: string, to: string): string[] =>
  Array.from({ length: countDays(from, to) }, (_, i) => dayOf(Date.parse(from) + i * dayMs));
