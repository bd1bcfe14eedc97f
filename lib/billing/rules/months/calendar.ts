const dayMs = 86_400_000;
/** Days of a month on average, in the Gregorian calendar. */
const daysOfMonth = 30.436_875;

/** A time some months later, or earlier, on its day of the month in UTC; the last day where that month has no such day. */
export const addMonths = (time: number, months: number): number => {
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const end = new Date(date);
  end.setUTCMonth(end.getUTCMonth() + 1, 0);
  date.setUTCDate(Math.min(day, end.getUTCDate()));
  return date.getTime();
};

/** How many calendar months are about as long as this; 1 at least. */
export const countMonths = (from: number, until: number): number =>
  Math.max(1, Math.floor((until - from) / dayMs / daysOfMonth + 0.5));

/** How many whole months after (or, below 0, before) the first of two times the last of them begins that is not after the second. */
export const monthsBetween = (from: number, time: number): number => {
  const [a, b] = [new Date(from), new Date(time)];
  const months = (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
  return addMonths(from, months) <= time ? months : months - 1;
};
