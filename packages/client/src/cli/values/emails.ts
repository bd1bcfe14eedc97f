import { visibleText } from './plain-text.ts';

/** The pattern of the service (`email()` of its schema), which is what a lead can have. */
const pattern =
  /^(([^<>()[\]\\.,;:\s@"]+(\.[^<>()[\]\\.,;:\s@"]+)*)|(".+"))@((\[[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\])|(([a-zA-Z\-0-9]+\.)+[a-zA-Z]{2,}))$/;

const isEmail = (text: string): boolean =>
  text.length <= 254 && /^[\x21-\x7e]+$/.test(text) && pattern.test(text);

/** An address of cells, and what else they have. */
export interface EmailRead {
  email?: string;
  /** Texts that are no address, addresses after the first, and cells with words beside an address. */
  rest: { text: string; why: string }[];
}

/** Characters of a cell that are looked at. */
const mostCharacters = 10_000;

/** Reads the first address of cells as people write them: with a name, or several in one cell. */
export const readEmail = (cells: readonly string[]): EmailRead => {
  const found = new Map<string, string>();
  const rest: EmailRead['rest'] = [];
  for (const cell of cells) {
    const text = cell.trim();
    const { addresses, unread, more } = partsOf(visibleText(cell));
    if (addresses.length === 0) rest.push({ text, why: 'is no email address' });
    else rest.push(...unread.map((one) => ({ text: one, why: 'is no email address' })));
    if (addresses.length > 0 && more) rest.push({ text, why: 'has more than an email address' });
    for (const one of addresses) {
      const key = one.toLowerCase();
      if (!found.has(key)) found.set(key, one);
    }
  }
  const [email, ...others] = found.values();
  for (const text of others) rest.push({ text, why: 'is a further email address' });
  return { ...(email !== undefined && { email }), rest };
};

interface Parts {
  addresses: string[];
  /** Texts that may be meant as an address, and are none. */
  unread: string[];
  /** There are other words, which are no name before an address. */
  more: boolean;
}

/** A name, and the address that is its person’s. */
const named = /(?<=^|[;,|>])\s*(?:"[^"]*"\s*|[^<>;"@]*)<([^<>]*)>/g;

const partsOf = (cell: string): Parts => {
  if (isEmail(cell)) return { addresses: [cell], unread: [], more: false };
  const text = cell.slice(0, mostCharacters).replace(named, ' $1 ');
  const parts = text
    .split(/(?:[\s;,|<>()[\]]|:::)+/)
    .map((one) => one.replace(/^["']*(?:mailto:)?|["'.:]+$/gi, ''))
    .flatMap((one) => (one.split('/').every(isEmail) ? one.split('/') : [one]))
    .filter((one) => /[^\s/\\–—-]/.test(one));
  const others = parts.filter((one) => !isEmail(one));
  return {
    addresses: parts.filter(isEmail),
    unread: others.filter((one) => one.includes('@')),
    more: others.some((one) => !one.includes('@')) || cell.length > mostCharacters,
  };
};
