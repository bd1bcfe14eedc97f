/**
 * A text as it can stand in the template: with straight apostrophes. CloudFormation takes ASCII and makes
 * question marks of the rest, so any other character throws.
 */
export const ascii = (text: string): string => {
  const straight = text.replaceAll('’', "'");
  if (isAscii(straight)) return straight;
  throw new Error(`A template takes ASCII only: ${text}`);
};

/** Whether a text is of printable ASCII characters alone. */
export const isAscii = (text: string): boolean => /^[ -~]*$/.test(text);
