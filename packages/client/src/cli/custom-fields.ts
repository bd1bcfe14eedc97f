import type { FieldValue } from '../types.ts';
import type { Connection } from './connection.ts';
import { exactNumber, type NumberCountry, readNumber } from './values/numbers.ts';
import { alikeText } from './values/plain-text.ts';
import { optionsOf } from './values/tags.ts';

/** A custom field of an organization, as far as an import has to know it. */
export interface CustomField {
  type: string;
  label?: string;
  options?: readonly string[];
  /** Takes no new value. */
  archived?: boolean;
}

/** An organization's custom fields, by their keys. */
export type CustomFieldsByKey = ReadonlyMap<string, CustomField>;

export const readCustomFields = (connection: Connection): Promise<CustomFieldsByKey> =>
  connection.send(async (client) => {
    const { data } = await client.get('/fields');
    return new Map(data.items.map(({ key, ...field }) => [key, field as CustomField]));
  });

const column = /^fields\.(.+)$/;

/** The custom field that a column is; undefined for another column. */
export const keyOf = (name: string): string | undefined => column.exec(name)?.[1];

export const columnOf = (key: string): string => `fields.${key}`;

/**
 * The value of a cell; a text that is not of the field's type stays as it is, so that the service says so. People write
 * numbers as in their country; a column of an export has them as in JSON.
 */
export const fromCell = (
  { type, options }: CustomField,
  cell: string,
  country?: NumberCountry,
  isExported = true,
): FieldValue => {
  const trimmed = cell.trim();
  if (type === 'number') {
    const text = isExported && isDecimal(trimmed) ? trimmed : readNumber(trimmed, country);
    return (text === undefined ? undefined : exactNumber(text)) ?? cell;
  }
  if (type === 'boolean') {
    const word = alikeText(cell);
    return yes.has(word) ? true : no.has(word) ? false : cell;
  }
  return type === 'select' ? optionLike(cell, options) : cell;
};

/**
 * The value of a cell, which may have several options with the sign between tags. `given` is what `--values` makes of an
 * option.
 */
export const customValue = (
  definition: CustomField,
  cell: string,
  country: NumberCountry,
  isExported: boolean,
  given: (one: string) => string,
): unknown => {
  const { type, options } = definition;
  if (type !== 'multi_select') return fromCell(definition, cell, country, isExported);
  const all = optionsOf(cell, options);
  if (!Array.isArray(all)) return all;
  const meant = all.map((one) => (typeof one === 'string' ? optionLike(given(one), options) : one));
  return [...new Set(meant.filter((one) => one !== ''))];
};

/** Words for yes and no, as spreadsheets and people write them in the languages of most exports. */
const yes = new Set('true yes sim si oui ja verdadeiro verdadero vrai wahr vero waar'.split(' '));
const no = new Set('false no nao non nein nee falso faux falsch onwaar'.split(' '));

/** The option that a cell means: also in other case, or with other accents, if only one option is like it. */
export const optionLike = (cell: string, options: readonly string[] = []): string => {
  if (options.includes(cell)) return cell;
  const like = options.filter((one) => alikeText(one) === alikeText(cell));
  return like.length === 1 ? like[0]! : cell;
};

const isDecimal = (text: string): boolean => /^[+-]?\d+(\.\d+)?$/.test(text);
