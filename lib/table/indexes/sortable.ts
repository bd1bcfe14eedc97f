// Values as texts that sort as the values do, in the sort keys of indexes. Each has few bytes: a page costs by its bytes.

/** As many digits of base 36 as the largest number has that JavaScript counts exactly. */
const digits = 11;

/** A whole number from 0 to 2^53 − 1. */
export const numberText = (value: number): string => value.toString(36).padStart(digits, '0');

/** The first moment that ISO 8601 has with a year of four digits. */
const firstMs = Date.parse('0000-01-01T00:00:00.000Z');

/** A moment: ISO 8601, or milliseconds since the epoch. One before the year 0 is the first of it. */
export const timeText = (moment: string | number): string => {
  const ms = typeof moment === 'number' ? moment : Date.parse(moment);
  return numberText(Math.max(0, ms - firstMs));
};

/** The last 64 bits of a UUID, nearly all of them random: of leads with the same value, no two share them. */
export const idText = (id: string): string =>
  BigInt(`0x${id.slice(-17).replace('-', '')}`)
    .toString(36)
    .padStart(13, '0');
