import type { UsualValues } from '../values/given-values.ts';
import { plainText } from '../values/plain-text.ts';

/** Which columns of another system's export are which fields. Names count without case, accents and signs. */
export interface Preset {
  /** Whose exports have these columns. */
  system: string;
  /** The names of columns that hardly any other system has, as it writes them in whatever language. */
  own: RegExp;
  /** For each field the names that its column can have. Of several lists for one field the first counts that the file has. */
  fields: readonly PresetField[];
  /** Where a row’s country is, which its phones are of. */
  country: readonly string[];
  /** Names before what a custom field is called, such as `Person - `. */
  prefixes?: readonly string[];
  /** A mark that the system writes before a value, such as `p:` before a phone. */
  mark?: RegExp;
  /** The API's values for the system's values, by field; empty values are left out. What `--values` says counts more. */
  values?: UsualValues;
}

export interface PresetField {
  /** A field of a lead, or `value`, `currency` or `title`. */
  field: string;
  /** Each inner list has the names of a column. The first cell that has something counts. */
  columns: readonly (readonly string[])[];
  /** Makes a name of all columns, with a blank between them. */
  join?: boolean;
  /** Text that is written before the value, so that ids of different kinds of things differ. */
  before?: string;
  /** The text between tags, where it is no comma or semicolon. */
  separator?: string;
}

/** A field of the lead, and which columns of a file it is made of. */
export interface Assigned extends Omit<PresetField, 'columns'> {
  columns: number[];
  join: boolean;
}

/** Which columns of a file are which fields. */
export const assign = ({ fields }: Preset, header: readonly string[]): Assigned[] => {
  const placesOf = (names: readonly string[]) => {
    const wanted = new Set(names.map(plainText));
    return header.flatMap((name, i) => (wanted.has(plainText(name)) ? [i] : []));
  };
  const assigned = new Map<string, Assigned>();
  for (const one of fields) {
    const columns = one.columns.flatMap(placesOf);
    if (columns.length === 0 || assigned.has(one.field)) continue;
    assigned.set(one.field, { join: false, ...one, columns });
  }
  return [...assigned.values()];
};

/** The place of the column with a row’s country. */
export const countryColumnOf = (preset: Preset, header: readonly string[]): number => {
  const wanted = new Set(preset.country.map(plainText));
  return header.findIndex((name) => wanted.has(plainText(name)));
};

/** The names of the custom field that a column can become: its whole name, or that without the preset’s prefix. */
export const namesOf = ({ prefixes = [] }: Preset, column: string): string[] => {
  const prefix = prefixes.find((one) => column.toLowerCase().startsWith(one.toLowerCase()));
  return [column, ...(prefix === undefined ? [] : [column.slice(prefix.length)])].map(plainText);
};
