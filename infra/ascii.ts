/**
 * A text in the form that a template can have: with straight quotes. CloudFormation takes ASCII and turns
 * the rest into question marks. So any other character throws.
 */
export const ascii = (text: string): string => {
  const straight = text.replaceAll('’', "'").replaceAll(/[“”]/g, '"');
  if (isAscii(straight)) return straight;
  throw new Error(`A template takes ASCII only: ${text}`);
};

/** Whether a text has printable ASCII characters only. */
export const isAscii = (text: string): boolean => /^[ -~]*$/.test(text);
