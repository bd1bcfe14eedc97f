// Values as texts that sort as the values do, in the sort keys of indexes. They are short: a page costs by its bytes.
//
// In a key, the id's text follows that of the value, with nothing between them. So a form makes texts of one length, for all
// values: at most 54 of the digits below. A form for names, say, cuts long ones, fills up short ones with the first digit, and
// has some digit for every character: several may share it. Values with the same text are sorted by the ids.

/** The digits of base 64, in the order in which DynamoDB sorts them. */
const digits = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';

const textOf = (value: bigint, length: number): string =>
  Array.from(
    { length },
    (_, i) => digits[Number((value >> BigInt(6 * (length - 1 - i))) & 63n)],
  ).join('');

/** A whole number from 0 to 2^53 − 1. */
export const numberText = (value: number): string => textOf(BigInt(value), 9);

/** The first moment that ISO 8601 has with a year of four digits. */
const firstMs = Date.parse('0000-01-01T00:00:00.000Z');

/** A moment: ISO 8601, or milliseconds since the epoch. A moment before the year 0 counts as its first moment. */
export const timeText = (moment: string | number): string => {
  const ms = typeof moment === 'number' ? moment : Date.parse(moment);
  return numberText(Math.max(0, ms - firstMs));
};

/** The last 60 bits of a UUID, nearly all of them random: of leads with the same value, no two share them. */
export const idText = (id: string): string =>
  textOf(BigInt(`0x${id.slice(-16).replace('-', '')}`), 10);
