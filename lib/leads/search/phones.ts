/** Digits that a part of a query has at least, to be a phone number perhaps. */
const fewestDigits = 6;

/** A number from its end on, so that its last digits are the beginning of a word. No other word begins so. */
const reversed = (digits: string): string => `-${[...digits].reverse().join('')}`;

/** The words by which a lead with this number is found: from its beginning on, and from its end on. */
export const phoneWords = (phone: string): string[] => {
  const digits = phone.replace(/\D/g, '');
  return digits === '' ? [] : [digits, reversed(digits)];
};

/** A part of a query. If it is a phone number, a lead with that phone may have any of the words in `phones`. */
export interface QueryPart {
  text: string;
  phones: readonly string[];
}

/** Digits, and what people write between them. */
const number = /(?<![\p{L}\p{N}@])[+(]*\d[\d\s()./\p{Pd}]*/gu;
/** A number that is followed by one of these characters is part of a word or an address. */
const goesOn = /^[\p{L}\p{N}@]/u;

/** A query, cut at what may be a phone number in it. */
export const splitAtPhones = (query: string): QueryPart[] => {
  const parts: QueryPart[] = [];
  let end = 0;
  for (const { 0: match, index } of query.matchAll(number)) {
    const text = match.replace(/\D+$/, '');
    const phones = alternatives(text);
    if (phones.length === 0) continue;
    if (goesOn.test(query.slice(index + text.length))) continue;
    parts.push({ text: query.slice(end, index), phones: [] }, { text, phones });
    end = index + text.length;
  }
  return [...parts, { text: query.slice(end), phones: [] }];
};

/**
 * With a country code, the number begins so; without one, it ends so. Where `0` is dialled before a number of the same
 * country, it is not part of the number. None if there are too few digits.
 */
const alternatives = (text: string): string[] => {
  const digits = text.replace(/\(0\)/g, '').replace(/\D/g, '');
  const international = text.includes('+') ? digits : /^00(\d+)/.exec(digits)?.[1];
  const national = (international ?? digits).replace(/^0+/, '');
  if (national.length < fewestDigits) return [];
  return international ? [international] : [digits, reversed(national)];
};
