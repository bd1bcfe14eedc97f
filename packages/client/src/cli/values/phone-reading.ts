import type { PhoneRead } from './phones.ts';

/** Reads the phones of a row, with what its column of countries says. */
export type PhoneReading = (
  cells: readonly string[],
  countryCell: string | undefined,
) => PhoneRead & { isCountryKnown: boolean };

/** How phones are read. It takes a moment to load what knows the numbers of all countries. */
export const phoneReadingOf = async (country: string | undefined): Promise<PhoneReading> => {
  const [{ readPhone }, { countryOf }] = await Promise.all([
    import('./phones.ts'),
    import('./countries.ts'),
  ]);
  const known = new Map<string, string | undefined>();
  return (cells, countryCell) => {
    if (countryCell === undefined) return { ...readPhone(cells, country), isCountryKnown: true };
    if (!known.has(countryCell)) known.set(countryCell, countryOf(countryCell));
    const found = known.get(countryCell);
    return { ...readPhone(cells, found), isCountryKnown: found !== undefined };
  };
};

/** The country (ISO 3166-1) that an option means; undefined for an unknown country. */
export const countryOfOption = async (text: string): Promise<string | undefined> =>
  (await import('./countries.ts')).countryOf(text);
