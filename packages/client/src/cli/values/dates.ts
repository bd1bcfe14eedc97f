import { CliError } from '../cli-error.ts';
import { plainText, visibleText } from './plain-text.ts';

export type DateOrder = 'dmy' | 'mdy';

/** How dates are read: what comes first in 05/06/2026, and where clocks are that show no offset. */
export interface DateReading {
  order?: DateOrder | undefined;
  timeZone?: string | undefined;
}

/** Countries that write the month first. Of Canada and the Philippines nobody can say. */
const monthFirst = new Set('US PR GU AS VI MP UM PW FM MH'.split(' '));
const either = new Set('CA PH BZ PA KE'.split(' '));

/** What comes first in dates of a country (ISO 3166-1); undefined where both are usual. */
export const orderIn = (country: string | undefined): DateOrder | undefined => {
  if (country === undefined || either.has(country)) return undefined;
  return monthFirst.has(country) ? 'mdy' : 'dmy';
};

interface Read {
  day: string;
  time: string;
  offset: string;
}

const time =
  '(?:[T,\\s]+(?<hour>\\d{1,2})[:hH.](?<minute>\\d{2})(?:[:.](?<second>\\d{2})(?:[.,]\\d+)?)?\\s*(?<half>[aApP]\\.?\\s?[mM]\\.?)?\\s*(?<offset>Z|UTC|GMT|[+-]\\d{2}:?\\d{2})?)?$';
const yearFirst = new RegExp(
  `^(?<year>\\d{4})[-/.](?<month>\\d{1,2})[-/.](?<day>\\d{1,2})${time}`,
  'u',
);
const yearLast = new RegExp(
  `^(?<a>\\d{1,2})[-/.](?<b>\\d{1,2})[-/.](?<year>\\d{4}|\\d{2})${time}`,
  'u',
);
const named = new RegExp(
  `^(?:\\p{L}+\\.?,?\\s+)?(?<day>\\d{1,2})(?:st|nd|rd|th|º|°|\\.)?[\\s-]+(?:de\\s+|of\\s+)?(?<name>\\p{L}{3,})\\.?,?[\\s-]+(?:de\\s+|del\\s+)?(?<year>\\d{4}|\\d{2})${time}`,
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
  // As the service writes it, it comes back unchanged.
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
  const last = yearLast.exec(text)?.groups;
  if (!last) return undefined;
  const [a, b] = [Number(last.a), Number(last.b)];
  if (a === b || order === 'dmy') return built(last, b, a);
  if (order === 'mdy') return built(last, a, b);
  if (a > 12 || b > 12) return built(last, Math.min(a, b), Math.max(a, b));
  throw new CliError(
    `“${text}” can be two dates. Say --dates dmy if the day comes first, or --dates mdy if the month does.`,
  );
};

type Groups = Record<string, string | undefined>;

const built = (groups: Groups, month: number, day: number): Read | undefined => {
  const { year = '', hour = '0', minute = '00', second = '00', half = '', offset = '' } = groups;
  // As spreadsheets take two digits: 29 is 2029, 30 is 1930.
  const full = year.length === 2 ? Number(year) + (Number(year) < 30 ? 2000 : 1900) : Number(year);
  let hours = Number(hour);
  if (half !== '') {
    if (hours < 1 || hours > 12) return undefined;
    hours = (hours % 12) + (/^p/i.test(half) ? 12 : 0);
  }
  const date = new Date(Date.UTC(full, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && full >= 1000;
  if (!isReal || hours > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  return {
    day: date.toISOString().slice(0, 10),
    time: `${String(hours).padStart(2, '0')}:${minute}:${second}`,
    offset: /^[+-]/.test(offset) ? offset.replace(/^(...):?/, '$1:') : offset && 'Z',
  };
};

/** Days since 30 December 1899, as spreadsheets number them, of the years 1954 to 2119; a part of a day is the time. */
const serial = (text: string): Read | undefined => {
  if (!/^[2-7]\d{4}([.,]\d+)?$/.test(text)) return undefined;
  const days = Number(text.replace(',', '.'));
  const at = new Date(Date.UTC(1899, 11, 30) + Math.round(days * 86_400) * 1000).toISOString();
  return { day: at.slice(0, 10), time: at.slice(11, 19), offset: '' };
};

let months: ReadonlyMap<string, number> | undefined;

/** The number of a month by its name in many languages, also a short one. */
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

/** A moment by what a clock shows there. Of an hour that there is twice, the first. */
const inZone = (local: string, timeZone: string): string => {
  const wanted = Date.parse(`${local}Z`);
  const shown = (at: number): number => {
    const format = new Intl.DateTimeFormat('sv', {
      timeZone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    return Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
  };
  const before = wanted - (shown(wanted - 86_400_000) - (wanted - 86_400_000));
  const at = shown(before) === wanted ? before : wanted - (shown(before) - before);
  return new Date(at).toISOString();
};
