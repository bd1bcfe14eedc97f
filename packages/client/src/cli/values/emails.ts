import { visibleText } from './plain-text.ts';

/** The pattern of the service (`email()` of its schema), which is what a lead can have. */
const pattern =
  /^(([^<>()[\]\\.,;:\s@"]+(\.[^<>()[\]\\.,;:\s@"]+)*)|(".+"))@((\[[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\])|(([a-zA-Z\-0-9]+\.)+[a-zA-Z]{2,}))$/;

const isEmail = (text: string): boolean =>
  text.length <= 254 && /^[\x21-\x7e]+$/.test(text) && pattern.test(text);

/** An address of cells, and what else they have. */
export interface EmailRead {
  email?: string;
  /** What is no address, and addresses after the first. */
  rest: { text: string; why: string }[];
}

/** Reads the first address of cells as people write them: with a name, or several in one cell. */
export const readEmail = (cells: readonly string[]): EmailRead => {
  const found = new Map<string, string>();
  const rest: EmailRead['rest'] = [];
  for (const cell of cells) {
    const addresses = addressesIn(visibleText(cell));
    if (addresses.length === 0) rest.push({ text: cell.trim(), why: 'is no email address' });
    for (const one of addresses) {
      const key = one.toLowerCase();
      if (!found.has(key)) found.set(key, one);
    }
  }
  const [email, ...others] = found.values();
  for (const text of others) rest.push({ text, why: 'is a further email address' });
  return { ...(email !== undefined && { email }), rest };
};

const addressesIn = (cell: string): string[] => {
  if (isEmail(cell)) return [cell];
  return cell
    .slice(0, 10_000)
    .split(/[\s;,|<>()[\]{}"'/]+/)
    .map((one) => one.replace(/^mailto:/i, '').replace(/[.:]+$/, ''))
    .filter(isEmail);
};
