import { plainText } from './plain-text.ts';

/** The languages in which months and days of the week are known. */
export const languages = 'en pt es fr de it nl pl sv da nb hr cs'.split(' ');

/** What a name means in a language: a month from 1 on. */
export interface Meaning {
  language: string;
  number: number;
}

let months: ReadonlyMap<string, Meaning[]> | undefined;

/**
 * The months that a name or a short name can mean. Where that is several months, only the one of `language` counts, if
 * that has the name: “listopad” is October in Croatian, and November in Polish and Czech.
 */
export const monthsOf = (name: string, language?: string): readonly Meaning[] => {
  months ??= namesOfMonths();
  const all = months.get(plainText(name)) ?? [];
  if (new Set(all.map(({ number }) => number)).size < 2) return all;
  const own = all.filter((one) => one.language === language);
  return own.length > 0 ? own : all;
};

/** The language that most people of a country (ISO 3166-1) write. */
export const languageIn = (country: string | undefined): string | undefined =>
  country === undefined ? undefined : new Intl.Locale(`und-${country}`).maximize().language;

/** The country (ISO 3166-1) in which most people write a language. */
export const countryOf = (language: string): string =>
  new Intl.Locale(language).maximize().region ?? language;

const namesOfMonths = (): Map<string, Meaning[]> => {
  const names = new Map<string, Meaning[]>();
  for (const language of languages) {
    for (let number = 1; number <= 12; number++) {
      for (const name of namesAt(language, Date.UTC(2026, number - 1, 1))) {
        names.set(name, [...(names.get(name) ?? []), { language, number }]);
      }
    }
  }
  return names;
};

/** The names of a month, as they are in a date and alone: Polish has “listopada” and “listopad”. */
const namesAt = (language: string, at: number): Set<string> => {
  const names = new Set<string>();
  for (const month of ['long', 'short'] as const) {
    for (const beside of [{}, { day: 'numeric' }] as const) {
      const format = new Intl.DateTimeFormat(language, { month, ...beside, timeZone: 'UTC' });
      const name = format.formatToParts(at).find(({ type }) => type === 'month')?.value;
      names.add(plainText(name ?? ''));
    }
  }
  return names;
};
