/** A text for a terminal: a control character of somebody’s file or lead would be an order to it. */
export const printable = (text: string): string =>
  text.replace(/[^\P{Cc}\n]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Quoted for a shell: the name of a column comes from the file, and the user may paste it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
