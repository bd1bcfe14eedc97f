import { CliError } from '../cli-error.ts';
import { countryOfLanguage, type Meaning, monthsOf, weekdaysOf } from './calendar-names.ts';
import type { DateOrder } from './date-orders.ts';

/** The parts of a date, as ISO 8601 writes them. Without a time, it is midnight; without an offset, that is empty. */
export interface DateParts {
  day: string;
  time: string;
  offset: string;
}

/** What says which date is meant where a text can be two: what comes first in it, and the language of its words. */
export interface DateForm {
  order?: DateOrder | undefined;
  language?: string | undefined;
}

/** Why a text is no date. */
export interface NoDate {
  why: string;
}

/** What stands before a time in a long form, as “at” in “1 January 2026 at 15:05”. */
const at = '(?:às|at|a las|à|alle(?: ore)?|um|om|kl\\.?|u|v)';
/** The end of a time with seconds: an offset can follow without a blank. Else `10:00-12:00` is a time from ten to twelve. */
const toSeconds = '[:.]\\d{2}[:.]\\d{2}(?:[.,]\\d+)?';
const offset = `Z|UTC|GMT|(?<=\\s|T\\d{2}:\\d{2}|${toSeconds})[+-]\\d{2}:?\\d{2}|(?<=${toSeconds})[+-]\\d{2}`;
const time =
  `(?:(?:[T,\\s]+|,?\\s+${at}\\s+)(?<hour>\\d{1,2})(?:[:hH.]|\\sh\\s)(?<minute>\\d{2})` +
  `(?:(?:[:.]|\\smin\\s)(?<second>\\d{2})(?:[.,](?<fraction>\\d+)|\\ss)?)?\\s*(?<half>[aApP]\\.?\\s?[mM]\\.?)?\\s*(?<offset>${offset})?)?$`;
/** Between numbers: Croats and Czechs write “15. 3. 2024.”, Hungarians “2024. 03. 15.” */
const sign = '(?:[-/]|\\.\\s?)';
const yearFirst = new RegExp(
  `^(?<year>\\d{4})${sign}(?<month>\\d{1,2})${sign}(?<day>\\d{1,2})\\.?${time}`,
  'u',
);
const inNumbers = new RegExp(
  `^(?<a>\\d{1,2})${sign}(?<b>\\d{1,2})${sign}(?<c>\\d{4}|\\d{2})\\.?${time}`,
  'u',
);
/** The name of a day of the week: no other word may stand before a date. */
const weekday = '(?:(?!den\\s)(?<weekday>\\p{L}+(?:[-\\s]feira)?)\\.?,?\\s+)?(?:den\\s+)?';
const named = new RegExp(
  `^${weekday}(?<day>\\d{1,2})(?:st|nd|rd|th|er|º|°|\\.)?[\\s/-]+(?:de\\s+|of\\s+)?(?<name>\\p{L}{3,})\\.?,?[\\s/-]+(?:de\\s+|del\\s+)?(?<year>\\d{4}|\\d{2})\\.?${time}`,
  'u',
);
const nameFirst = new RegExp(
  `^${weekday}(?<name>\\p{L}{3,})\\.?\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?,?\\s+(?<year>\\d{4})${time}`,
  'u',
);

const noDate: NoDate = { why: 'is no date' };
const otherWeekday: NoDate = { why: 'has another day of the week' };
const twoYears: NoDate = { why: 'has a year of two digits that may be two years' };
const twoDates: NoDate = { why: 'may be two dates: its day and its year have two digits' };

/** The parts of a date that people or programs wrote. Throws `CliError` where it may be two dates. */
export const partsOf = (text: string, { order, language }: DateForm): DateParts | NoDate => {
  const found = yearFirst.exec(text)?.groups;
  if (found) return built(found, Number(found.month), Number(found.day));
  const words = (named.exec(text) ?? nameFirst.exec(text))?.groups;
  if (words) return inWordsOf(text, words, { order, language });
  return inNumbersOf(text, order) ?? serial(text) ?? noDate;
};

type Groups = Record<string, string | undefined>;

/** A date with the name of a month. Throws `CliError` where that is two months in two languages. */
const inWordsOf = (
  text: string,
  groups: Groups,
  { order, language }: DateForm,
): DateParts | NoDate => {
  const dates = monthsOf(groups.name ?? '', language).flatMap((month) =>
    inMonth(month, groups, order).map((date) => ({ ...month, date })),
  );
  const real = dates.filter(({ date }) => isDate(date));
  if (new Set(real.map(({ number }) => number)).size < 2) {
    return (real[0] ?? dates[0])?.date ?? noDate;
  }
  const countries = new Set(real.map((one) => countryOfLanguage(one.language)));
  const options = [...countries].map((country) => `--country ${country}`).join(' or ');
  throw new CliError(
    `“${text}” can be two dates. Say whose language it is in: ${options} (not with --from), or write the month as a number.`,
  );
};

/** The date in this month; empty where the word before it is no day of the week in the language of the month. */
const inMonth = (
  { language, number }: Meaning,
  groups: Groups,
  order: DateOrder | undefined,
): [] | [DateParts | NoDate] => {
  const date = mayHaveYearFirst(groups, order)
    ? twoDates
    : built(groups, number, Number(groups.day));
  if (groups.weekday === undefined) return [date];
  const meant = weekdaysOf(groups.weekday).find((one) => one.language === language);
  if (!meant) return [];
  return isDate(date) && new Date(date.day).getUTCDay() !== meant.number ? [otherWeekday] : [date];
};

/** Whether the year can come first, as in “26-mar-05” where it does in numbers. Programs write the day first there, too. */
const mayHaveYearFirst = ({ day = '', year = '' }: Groups, order: DateOrder | undefined): boolean =>
  order === 'ymd' && day.length + year.length === 4 && day !== year && Number(year) <= 31;

/** A date whose year comes last, or perhaps first if it has two digits. Throws `CliError` where it may be two dates. */
const inNumbersOf = (
  text: string,
  order: DateOrder | undefined,
): DateParts | NoDate | undefined => {
  const found = inNumbers.exec(text)?.groups;
  if (!found) return undefined;
  const { a = '', b = '', c = '' } = found;
  const hasYear = c.length === 4;
  const read = (one: DateOrder) =>
    one === 'ymd'
      ? built({ ...found, year: a }, Number(b), Number(c))
      : built({ ...found, year: c }, Number(one === 'dmy' ? b : a), Number(one === 'dmy' ? a : b));
  if (order !== undefined && !(hasYear && order === 'ymd')) return read(order);
  const real = [read('dmy'), read('mdy')].filter(isDate);
  if (hasYear && new Set(real.map(({ day }) => day)).size < 2) return real[0] ?? noDate;
  throw new CliError(
    `“${text}” can be two dates. Say --dates dmy if the day comes first, --dates mdy if the month does, or --dates ymd if the year does.`,
  );
};

const isDate = (one: DateParts | NoDate): one is DateParts => 'day' in one;

const built = (groups: Groups, month: number, day: number): DateParts | NoDate => {
  const { year = '', hour = '0', minute = '00', second = '00', half = '' } = groups;
  const fraction = groups.fraction === undefined ? '' : `.${groups.fraction}`;
  const full = yearOf(year);
  if (full === undefined) return twoYears;
  let hours = Number(hour);
  if (half !== '') {
    if (hours < 1 || hours > 12) return noDate;
    hours = (hours % 12) + (/^p/i.test(half) ? 12 : 0);
  }
  const date = new Date(Date.UTC(full, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  const isTime = hours <= 23 && Number(minute) <= 59 && Number(second) <= 59;
  const offset = offsetOf(groups.offset ?? '');
  if (!isReal || !isUsual(full) || !isTime || offset === undefined) return noDate;
  return {
    day: date.toISOString().slice(0, 10),
    time: `${String(hours).padStart(2, '0')}:${minute}:${second}${fraction}`,
    offset,
  };
};

/** Whether a year can be meant so: 2567 is 2024 in Thailand, 1403 in Iran, and programs write 0001 and 9999 for no date. */
export const isUsual = (year: number): boolean => year >= 1900 && year <= 2199;

/** An offset as ISO 8601 writes it; undefined for one that no clock has: they are at most 14 hours from UTC. */
const offsetOf = (text: string): string | undefined => {
  const [, hours, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(text) ?? [];
  if (hours === undefined) return text && 'Z';
  const isOne = Math.abs(Number(hours)) <= 14 && Number(minutes) <= 59;
  return isOne ? `${hours}:${minutes}` : undefined;
};

/**
 * The year that is written; undefined for two digits that programs read as different years. Spreadsheets take 30 for 1930, POSIX 68 for
 * 2068; all take 29 for 2029, and 70 for 1970.
 */
const yearOf = (text: string): number | undefined => {
  const year = Number(text);
  if (text.length !== 2) return year;
  if (year < 30) return 2000 + year;
  return year < 70 ? undefined : 1900 + year;
};

/** Days since 30 December 1899, as spreadsheets number them, of the years 1954 to 2119; a part of a day is the time. */
const serial = (text: string): DateParts | undefined => {
  if (!/^[2-7]\d{4}([.,]\d+)?$/.test(text)) return undefined;
  const days = Number(text.replace(',', '.'));
  const at = new Date(Date.UTC(1899, 11, 30) + Math.round(days * 86_400) * 1000).toISOString();
  return { day: at.slice(0, 10), time: at.slice(11, 19), offset: '' };
};
