/** Whether a text is an origin in the form in which browsers send it. A list of them has commas between. */
export const isOrigin = (text: string): boolean =>
  URL.canParse(text) && new URL(text).origin === text && !text.includes(',');
