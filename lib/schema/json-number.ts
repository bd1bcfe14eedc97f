// TypeScript's library does not know `JSON.rawJSON` yet.
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/**
 * A whole number that JSON.stringify writes with all its digits, even if a JavaScript number can't hold them.
 */
export const jsonNumber = (value: bigint): number => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : (rawJSON(value.toString()) as number);
};
