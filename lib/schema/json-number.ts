// TypeScript's library does not know it yet.
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/**
 * A whole number that JSON.stringify writes with all its digits, also where a JavaScript number has
 * not as many.
 */
export const jsonNumber = (value: bigint): number => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : (rawJSON(value.toString()) as number);
};
