import { plainText } from './plain-text.ts';

/** The languages in which months and days of the week are known. */
export const languages = 'en pt es fr de it nl pl sv da nb hr cs'.split(' ');

/** What a name means in a language: a month from 1 on, or a day of the week from Sunday, which is 0. */
export interface Meaning {
  language: string;
  number: number;
}
type Names = ReadonlyMap<string, readonly Meaning[]>;

let months: Names | undefined;
let weekdays: Names | undefined;

/**
 * The months that a name or a short name can mean. Where that is several months, only the one of `language` counts, if
 * that has the name: “listopad” is October in Croatian, and November in Polish and Czech.
 */
export const monthsOf = (name: string, language?: string): readonly Meaning[] => {
  months ??= namesOf('month');
  const all = months.get(plainText(name)) ?? [];
  if (new Set(all.map(({ number }) => number)).size < 2) return all;
  const own = all.filter((one) => one.language === language);
  return own.length > 0 ? own : all;
};

/** The days of the week that a name or a short name can mean. */
export const weekdaysOf = (name: string): readonly Meaning[] => {
  weekdays ??= namesOf('weekday');
  return weekdays.get(plainText(name)) ?? [];
};

/** The language that most people of a country (ISO 3166-1) write. */
export const languageIn = (country: string | undefined): string | undefined =>
  country === undefined ? undefined : new Intl.Locale(`und-${country}`).maximize().language;

/** The country (ISO 3166-1) in which most people write a language. */
export const countryOfLanguage = (language: string): string =>
  new Intl.Locale(language).maximize().region ?? language;

/** Short days of the week that are other words, too: in Czech, Monday is also “after”, and Sunday “not”. */
const unsure = new Set(['po', 'ne']);

/** All names as they are in a date, and alone: Polish has “listopada” and “listopad”. */
const namesOf = (part: 'month' | 'weekday'): Names => {
  const names = new Map<string, Meaning[]>();
  const add = (name: string, meaning: Meaning) => {
    if (!unsure.has(name)) names.set(name, [...(names.get(name) ?? []), meaning]);
  };
  for (const [language, style, beside] of formsOfNames()) {
    const options = { [part]: style, ...beside, timeZone: 'UTC' } as const;
    const format = new Intl.DateTimeFormat(language, options);
    const dates = part === 'month' ? monthsOfYear : daysOfWeek;
    dates.forEach((at, i) => {
      const name = format.formatToParts(at).find(({ type }) => type === part)?.value ?? '';
      const meaning = { language, number: part === 'month' ? i + 1 : i };
      add(plainText(name), meaning);
      // People write “sexta” for “sexta-feira”.
      if (name.endsWith('-feira')) add(plainText(name.replace('-feira', '')), meaning);
    });
  }
  return names;
};

const monthsOfYear = Array.from({ length: 12 }, (_, i) => Date.UTC(2026, i, 1));
/** From a Sunday on. */
const daysOfWeek = Array.from({ length: 7 }, (_, i) => Date.UTC(2026, 1, 1 + i));

const formsOfNames = () =>
  languages.flatMap((language) =>
    (['long', 'short'] as const).flatMap((style) =>
      [{}, { day: 'numeric' } as const].map((beside) => [language, style, beside] as const),
    ),
  );
