import { plainText } from '../values/plain-text.ts';

/** Which columns of another system's export are which fields. Names count without case, accents and signs. */
export interface Preset {
  /** Whose exports have these columns. */
  system: string;
  /**
   * For each field the names that its column can have. `join` makes a name of several columns, with a blank between them; else
   * the first cell that can be read counts. Each inner list has the names that one column can have.
   */
  fields: readonly PresetField[];
  /** Where a row’s country is, which its phones are of. */
  country: readonly string[];
  /** Names before what a custom field is called, such as `Person - `. */
  prefixes: readonly string[];
}

export interface PresetField {
  field: string;
  columns: readonly (readonly string[])[];
  join?: boolean;
  /** What is written before the value, so that ids of different kinds of things differ. */
  before?: string;
}

/** A field of the lead, and which columns of a file it is made of. */
export interface Assigned {
  field: string;
  columns: number[];
  join: boolean;
  before?: string;
}

/**
 * Which columns of a file are which fields. Of several lists for one field, the first one that the file has columns of
 * counts.
 */
export const assign = ({ fields }: Preset, header: readonly string[]): Assigned[] => {
  const placesOf = (names: readonly string[]) => {
    const wanted = new Set(names.map(plainText));
    return header.flatMap((name, i) => (wanted.has(plainText(name)) ? [i] : []));
  };
  const assigned = new Map<string, Assigned>();
  for (const { field, columns, join = false, before } of fields) {
    const places = columns.flatMap(placesOf);
    if (places.length === 0 || assigned.has(field)) continue;
    assigned.set(field, { field, columns: places, join, ...(before && { before }) });
  }
  return [...assigned.values()];
};

/** The place of the column with a row’s country. */
export const countryColumnOf = (preset: Preset, header: readonly string[]): number => {
  const wanted = new Set(preset.country.map(plainText));
  return header.findIndex((name) => wanted.has(plainText(name)));
};

/** What a custom field may be called that a column is: by its whole name, or without the preset’s prefix. */
export const namesOf = ({ prefixes }: Preset, column: string): string[] => {
  const prefix = prefixes.find((one) => column.toLowerCase().startsWith(one.toLowerCase()));
  return [column, ...(prefix === undefined ? [] : [column.slice(prefix.length)])].map(plainText);
};
