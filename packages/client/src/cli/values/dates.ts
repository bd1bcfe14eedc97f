import { CliError } from '../cli-error.ts';
import { plainText, visibleText } from './plain-text.ts';

/** The part of a date that comes first: the day, the month or the year. */
export type DateOrder = 'dmy' | 'mdy' | 'ymd';
export const dateOrders: readonly DateOrder[] = ['dmy', 'mdy', 'ymd'];

/** How dates are read: what comes first in 05/06/2026 or 26/05/06, and where clocks are that show no offset. */
export interface DateReading {
  order?: DateOrder | undefined;
  timeZone?: string | undefined;
}

const monthFirstIn = new Set('US PR GU AS VI MP UM PW FM MH'.split(' '));
const yearFirstIn = new Set('CN JP KR KP TW HU LT MN SE'.split(' '));
/** Countries with two usual orders, or two calendars. */
const unsureIn = new Set('CA PH BZ PA KE ZA TH IR AF NP BT LK RW'.split(' '));

/** The part that comes first in dates of a country (ISO 3166-1); undefined where nobody can say. */
export const orderIn = (country: string | undefined): DateOrder | undefined => {
  if (country === undefined || unsureIn.has(country)) return undefined;
  if (yearFirstIn.has(country)) return 'ymd';
  return monthFirstIn.has(country) ? 'mdy' : 'dmy';
};

interface Read {
  day: string;
  time: string;
  offset: string;
}

/** What stands before a time in a long form, as “at” in “1 January 2026 at 15:05”. */
const at = '(?:às|at|a las|à|alle(?: ore)?|um|om|kl\\.?)';
const time =
  `(?:(?:[T,\\s]+|,?\\s+${at}\\s+)(?<hour>\\d{1,2})(?:[:hH.]|\\sh\\s)(?<minute>\\d{2})` +
  '(?:(?:[:.]|\\smin\\s)(?<second>\\d{2})(?:[.,](?<fraction>\\d+)|\\ss)?)?\\s*(?<half>[aApP]\\.?\\s?[mM]\\.?)?\\s*(?<offset>Z|UTC|GMT|[+-]\\d{2}:?\\d{2})?)?$';
const yearFirst = new RegExp(
  `^(?<year>\\d{4})[-/.](?<month>\\d{1,2})[-/.](?<day>\\d{1,2})${time}`,
  'u',
);
const inNumbers = new RegExp(
  `^(?<a>\\d{1,2})[-/.](?<b>\\d{1,2})[-/.](?<c>\\d{4}|\\d{2})${time}`,
  'u',
);
const named = new RegExp(
  `^(?:[\\p{L}-]+\\.?,?\\s+(?:den\\s+)?)?(?<day>\\d{1,2})(?:st|nd|rd|th|er|º|°|\\.)?[\\s/-]+(?:de\\s+|of\\s+)?(?<name>\\p{L}{3,})\\.?,?[\\s/-]+(?:de\\s+|del\\s+)?(?<year>\\d{4}|\\d{2})${time}`,
  'u',
);
const nameFirst = new RegExp(
  `^(?:\\p{L}+,\\s+)?(?<name>\\p{L}{3,})\\.?\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?,?\\s+(?<year>\\d{4})${time}`,
  'u',
);

const isExact = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  datetime: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/,
};

/**
 * The date of a cell as spreadsheets and other systems write it, as the type of its custom field takes it; undefined for what
 * is none. Throws `CliError` where it may be two dates, as 05/06/2026.
 */
export const readDate = (
  type: 'date' | 'datetime',
  cell: string,
  reading: DateReading,
): string | undefined => {
  const text = visibleText(cell);
  // A text in the form of the service stays as it is.
  if (isExact[type].test(text)) return text;
  const read = partsOf(text, reading) ?? serial(text);
  if (!read) return undefined;
  if (type === 'date') return read.day;
  const local = `${read.day}T${read.time}`;
  if (read.offset !== '') return `${local}${read.offset}`;
  if (reading.timeZone === undefined) {
    throw new CliError(
      `“${text}” has no time zone. Say which with --time-zone, such as America/Sao_Paulo, or UTC.`,
    );
  }
  return inZone(local, reading.timeZone);
};

const partsOf = (text: string, { order }: DateReading): Read | undefined => {
  const found = [yearFirst, named, nameFirst].map((one) => one.exec(text)?.groups).find(Boolean);
  if (found) {
    const month = found.name === undefined ? Number(found.month) : monthOf(found.name);
    return month === undefined ? undefined : built(found, month, Number(found.day));
  }
  return inNumbersOf(text, order);
};

/** A date whose year comes last, or perhaps first if it has two digits. Throws `CliError` where it may be two dates. */
const inNumbersOf = (text: string, order: DateOrder | undefined): Read | undefined => {
  const found = inNumbers.exec(text)?.groups;
  if (!found) return undefined;
  const { a = '', b = '', c = '' } = found;
  const hasYear = c.length === 4;
  const read = (one: DateOrder) =>
    one === 'ymd'
      ? built({ ...found, year: a }, Number(b), Number(c))
      : built({ ...found, year: c }, Number(one === 'dmy' ? b : a), Number(one === 'dmy' ? a : b));
  if (order !== undefined && !(hasYear && order === 'ymd')) return read(order);
  const [dayFirst, last] = [read('dmy'), read('mdy')];
  if (hasYear && (!dayFirst || !last || dayFirst.day === last.day)) return dayFirst ?? last;
  throw new CliError(
    `“${text}” can be two dates. Say --dates dmy if the day comes first, --dates mdy if the month does, or --dates ymd if the year does.`,
  );
};

type Groups = Record<string, string | undefined>;

const built = (groups: Groups, month: number, day: number): Read | undefined => {
  const { year = '', hour = '0', minute = '00', second = '00', half = '', offset = '' } = groups;
  const fraction = groups.fraction === undefined ? '' : `.${groups.fraction}`;
  const full = yearOf(year);
  if (full === undefined) return undefined;
  let hours = Number(hour);
  if (half !== '') {
    if (hours < 1 || hours > 12) return undefined;
    hours = (hours % 12) + (/^p/i.test(half) ? 12 : 0);
  }
  const date = new Date(Date.UTC(full, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  // The year 2567 is 2024 in Thailand, and 1403 in Iran.
  if (
    !isReal ||
    full < 1900 ||
    full > 2199 ||
    hours > 23 ||
    Number(minute) > 59 ||
    Number(second) > 59
  )
    return undefined;
  return {
    day: date.toISOString().slice(0, 10),
    time: `${String(hours).padStart(2, '0')}:${minute}:${second}${fraction}`,
    offset: /^[+-]/.test(offset) ? offset.replace(/^(...):?/, '$1:') : offset && 'Z',
  };
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

/** Why `readDate` takes a text for no date. */
export const whyNoDate = (cell: string): string =>
  /[-/.\s][3-6]\d(?=$|[T,\s])/.test(visibleText(cell))
    ? 'is no date, or has a year of two digits that may be two years'
    : 'is no date';

/** Days since 30 December 1899, as spreadsheets number them, of the years 1954 to 2119; a part of a day is the time. */
const serial = (text: string): Read | undefined => {
  if (!/^[2-7]\d{4}([.,]\d+)?$/.test(text)) return undefined;
  const days = Number(text.replace(',', '.'));
  const at = new Date(Date.UTC(1899, 11, 30) + Math.round(days * 86_400) * 1000).toISOString();
  return { day: at.slice(0, 10), time: at.slice(11, 19), offset: '' };
};

let months: ReadonlyMap<string, number> | undefined;

/** The number of a month by its name in many languages, also by a short name. */
const monthOf = (name: string): number | undefined => {
  months ??= namesOfMonths();
  return months.get(plainText(name));
};

const namesOfMonths = (): Map<string, number> => {
  const names = new Map<string, number>();
  for (const language of 'en pt es fr de it nl pl sv da nb'.split(' ')) {
    for (const month of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(language, { month, day: 'numeric', timeZone: 'UTC' });
      for (let number = 1; number <= 12; number++) {
        const parts = format.formatToParts(Date.UTC(2026, number - 1, 1));
        const name = plainText(parts.find(({ type }) => type === 'month')?.value ?? '');
        if (!names.has(name)) names.set(name, number);
      }
    }
  }
  return names;
};

/** Throws `CliError` for a zone that is not known. */
export const assertTimeZone = (timeZone: string): void => {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw new CliError(
      `--time-zone “${timeZone}” is not known. Say one such as America/Sao_Paulo, or UTC.`,
    );
  }
};

const day = 86_400_000;
const clocks = new Map<string, Intl.DateTimeFormat>();

/**
 * A moment by what a clock shows there. Of an hour that there is twice, the first. A time that the clock passes over moves
 * forward by as much as the clock does.
 */
const inZone = (local: string, timeZone: string): string => {
  let clock = clocks.get(timeZone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    clocks.set(timeZone, clock);
  }
  const wanted = Date.parse(`${local}Z`);
  const offsetAt = (at: number) =>
    Date.parse(`${clock.format(at).replace(' ', 'T')}Z`) - (at - (at % 1000));
  const [before, after] = [offsetAt(wanted - day), offsetAt(wanted + day)];
  const isShown = (offset: number) => offsetAt(wanted - offset) === offset;
  const offset = [Math.max(before, after), Math.min(before, after)].find(isShown) ?? before;
  return new Date(wanted - offset).toISOString();
};
