import { expect, test } from 'vitest';
import {
  languageIn,
  languages,
} from '../../../../packages/client/src/cli/values/calendar-names.ts';
import { orderIn } from '../../../../packages/client/src/cli/values/date-orders.ts';
import { type DateReading, readDate } from '../../../../packages/client/src/cli/values/dates.ts';
import { assertTimeZone } from '../../../../packages/client/src/cli/values/time-zones.ts';

const valueIn = (...cell: Parameters<typeof readDate>) => readDate(...cell).value;

test.each([
  ['2024-03-12', '2024-03-12'],
  // HubSpot and Pipedrive write these.
  ['2024-03-12 09:14', '2024-03-12'],
  ['2024-03-12 09:14:45', '2024-03-12'],
  ['2024-03-12T09:14:45.123Z', '2024-03-12'],
  ['2024/3/12', '2024-03-12'],
  ['2024-3-5', '2024-03-05'],
  ['3/15/2024 2:30 PM', '2024-03-15'],
  ['15/03/2024', '2024-03-15'],
  ['05/05/2024', '2024-05-05'],
  ['15.03.2024', '2024-03-15'],
  ['15. 3. 2024.', '2024-03-15'],
  ['2024. 03. 15.', '2024-03-15'],
  ['15-Mar-2024', '2024-03-15'],
  ['March 15, 2024', '2024-03-15'],
  ['Friday, March 15, 2024', '2024-03-15'],
  ['15 de março de 2024', '2024-03-15'],
  ['15. März 2024', '2024-03-15'],
  ['15 mars 2024', '2024-03-15'],
  // Days since 1899, as a spreadsheet has it without a format.
  ['45366', '2024-03-15'],
  ['45366.75', '2024-03-15'],
])('%j is %s', (cell, date) => {
  expect(valueIn('date', cell, {})).toBe(date);
});

test.each([
  ['2024-03-15 00:00:00'],
  ['2024-03-15T00:00:00.000'],
  ['15/03/2024 00:00'],
  ['3/15/2024 12:00 AM'],
  ['45366.0'],
])('%j is a day without a time', (cell) => {
  expect(readDate('date', cell, { timeZone: 'Asia/Tokyo' })).toEqual({ value: '2024-03-15' });
});

test.each<[string, string | undefined, string]>([
  ['2024-03-15 09:14', undefined, '2024-03-15'],
  ['2024-03-15 23:59', 'Asia/Tokyo', '2024-03-15'],
  ['2024-03-15 00:00:00.5', undefined, '2024-03-15'],
  ['3/15/2024 12:01 AM', undefined, '2024-03-15'],
  ['March 15, 2024 at 2:30 PM', undefined, '2024-03-15'],
  ['45366.75', 'Asia/Tokyo', '2024-03-15'],
  // With an offset, the day is that of the zone which is said, else the one that stands there.
  ['2024-03-15T23:30:00Z', undefined, '2024-03-15'],
  ['2024-03-15T23:30:00Z', 'Asia/Tokyo', '2024-03-16'],
  ['2024-03-15T02:30:00Z', 'America/Sao_Paulo', '2024-03-14'],
  ['2024-03-15 01:00 +05:00', 'UTC', '2024-03-14'],
  ['2024-03-15T00:00:00Z', undefined, '2024-03-15'],
  ['2024-03-15T00:00:00Z', 'America/Sao_Paulo', '2024-03-14'],
])('as a day, %j with the zone %s is %s, and it is told', (cell, timeZone, value) => {
  const told = `is cut to ${value}, without its time`;
  expect(readDate('date', cell, { timeZone })).toEqual({ value, told });
});

test('an offset that no clock has makes no date', () => {
  for (const type of ['date', 'datetime'] as const) {
    expect(valueIn(type, '2024-03-15 10:00 +14:00', { timeZone: 'UTC' })).toBeDefined();
    for (const offset of ['+15:00', '-0360', '+25:00']) {
      const read = readDate(type, `2024-03-15 10:00 ${offset}`, { timeZone: 'UTC' });
      expect(read).toEqual({ told: 'is no date' });
    }
  }
});

const locales = ['pt-BR', 'pt-PT', 'es-ES', 'es-MX', 'en-US', 'en-GB', 'fr-FR', 'fr-CA', 'de-DE'];
locales.push('it-IT', 'nl-NL', 'pl-PL', 'sv-SE', 'da-DK', 'nb-NO', 'hr-HR', 'cs-CZ');

test.each(locales)(
  'dates with the name of a month are read as people of %s write them',
  (locale) => {
    const { language } = new Intl.Locale(locale);
    const reading = { timeZone: 'UTC', language };
    for (let month = 0; month < 12; month++) {
      const at = new Date(Date.UTC(2026, month, month + 1, 15, 5));
      for (const dateStyle of ['full', 'long'] as const) {
        const written = (timeStyle?: 'medium' | 'short') => {
          const style = { dateStyle, ...(timeStyle && { timeStyle }), timeZone: 'UTC' };
          return new Intl.DateTimeFormat(locale, style).format(at);
        };
        expect(valueIn('date', written(), reading), written()).toBe(at.toISOString().slice(0, 10));
        for (const style of ['medium', 'short'] as const) {
          const text = written(style);
          expect(valueIn('datetime', text, reading), text).toBe(at.toISOString());
        }
      }
    }
  },
);

/** The months that each name is, in all languages: as Intl gives it in a date and alone. */
const meanings = new Map<string, Map<number, string[]>>();
for (const language of languages) {
  for (let month = 1; month <= 12; month++) {
    const names = (['long', 'short'] as const).flatMap((style) =>
      [{}, { day: 'numeric' } as const].map(
        (beside) =>
          new Intl.DateTimeFormat(language, { month: style, ...beside, timeZone: 'UTC' })
            .formatToParts(Date.UTC(2026, month - 1, 1))
            .find(({ type }) => type === 'month')!.value,
      ),
    );
    for (const name of new Set(names.map((one) => one.replace(/\.$/, '').toLowerCase()))) {
      const known = meanings.get(name) ?? new Map<number, string[]>();
      meanings.set(name, known.set(month, [...(known.get(month) ?? []), language]));
    }
  }
}

test('a name of a month is read, and one that is two months in two languages is not guessed', () => {
  const twice: string[] = [];
  for (const [name, months] of meanings) {
    // Czech short months are numbers.
    if (!/^\p{L}{3,}$/u.test(name)) continue;
    const read = (language?: string) => valueIn('date', `15 ${name} 2024`, { language });
    const dayIn = (month: number) => `2024-${String(month).padStart(2, '0')}-15`;
    if (months.size === 1) {
      for (const [month] of months) expect(read(), name).toBe(dayIn(month));
      continue;
    }
    twice.push(name);
    expect(() => read(), name).toThrow('can be two dates. Say whose language it is in: --country');
    expect(() => read('pt'), name).toThrow('can be two dates');
    for (const [month, own] of months) {
      for (const language of own) expect(read(language), name).toBe(dayIn(month));
    }
  }
  expect(['PL', 'HR', 'CZ', 'BR', undefined].map(languageIn)).toEqual([
    ...['pl', 'hr', 'cs', 'pt', undefined],
  ]);
  expect(twice.sort()).toEqual(['lip', 'lis', 'listopad', 'listopada', 'srp']);
  expect(() => readDate('date', '15. lis 2024.', {})).toThrow(
    '--country PL or --country HR or --country CZ (not with --from), or write the month as a number.',
  );
});

test.each<[string, string | undefined, string | undefined]>([
  // November and June have 30 days.
  ['31 listopada 2024', undefined, '2024-10-31'],
  ['31. listopad 2024.', undefined, '2024-10-31'],
  ['31 lip 2024', undefined, '2024-07-31'],
  // A language that is said holds for all: else half of a column would be read in another.
  ['31 listopada 2024', 'pl', undefined],
  ['31 listopada 2024', 'hr', '2024-10-31'],
  ['31 marca 2024', 'hr', '2024-03-31'],
])('%j in the language %s is %s', (cell, language, date) => {
  expect(valueIn('date', cell, { language })).toBe(date);
});

const weekdayNames = (language: string, at: number): string[] =>
  (['long', 'short'] as const).flatMap((weekday) =>
    [{}, { day: 'numeric', month: 'long' } as const].map(
      (beside) =>
        new Intl.DateTimeFormat(language, { weekday, ...beside, timeZone: 'UTC' })
          .formatToParts(at)
          .find(({ type }) => type === 'weekday')!.value,
    ),
  );

test.each(languages)('a day of the week before a date is that of the date, in %s', (language) => {
  for (let number = 1; number <= 7; number++) {
    const at = Date.UTC(2024, 2, number);
    const date = new Date(at).toISOString().slice(0, 10);
    const month = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' }).format(at);
    for (const name of weekdayNames(language, at).map((one) => one.replace('.', ''))) {
      // In Czech, also “after” and “not”.
      if (['po', 'ne'].includes(name)) continue;
      for (const sign of ['', '.', ',', '.,']) {
        const read = (day: number) => readDate('date', `${name}${sign} ${day}. ${month} 2024`, {});
        expect(read(number), `${name}${sign}`).toEqual({ value: date });
        expect(read(number + 7).value, `${name}${sign}`).toBeDefined();
        expect(read(number + 8), `${name}${sign}`).toEqual({ told: 'has another day of the week' });
      }
    }
  }
});

test.each([
  ['Freitag, den 15. März 2024', '2024-03-15'],
  ['den 15. marts 2024', '2024-03-15'],
  ['sexta, 15 de março de 2024', '2024-03-15'],
  ['Sexta feira 15 de março de 2024', '2024-03-15'],
  ['viernes 15 de marzo de 2024', '2024-03-15'],
  ['Fri Mar 15 2024 10:00:00', '2024-03-15'],
  ['Fri, 15 Mar 2024 10:00:00 GMT', '2024-03-15'],
  // It settles which month a name is, too.
  ['petak, 15. studenoga 2024.', '2024-11-15'],
  ['piątek, 15 listopada 2024', '2024-11-15'],
  ['utorak, 15. listopada 2024.', '2024-10-15'],
  ['So., 16. Juni 2024', '2024-06-16'],
])('%j is %s by the day of the week, too', (cell, date) => {
  expect(valueIn('date', cell, {})).toBe(date);
});

test.each([
  ...['Until 15 March 2024', 'before March 15, 2024', 'after Mar 15 2024', 'not 15 March 2024'],
  ...['ab 1. März 2024', 'bis 15. März 2024', 'até 15 de março de 2024', 'hasta 15 marzo 2024'],
  ...['since 15 March 2024', 'c. 15 March 2024', 'May 15 March 2024', '- 15 March 2024'],
  // “Until” in Polish is Thursday in Dutch; “after” and “not” are Monday and Sunday in Czech.
  ...['do 14 marca 2024', 'po 18 marca 2024', 'po 18. března 2024', 'ne 17. března 2024'],
])('%j is no date: a word before it may mean another one', (cell) => {
  expect(readDate('date', cell, { timeZone: 'UTC' })).toEqual({ told: 'is no date' });
});

test.each([
  ['Thursday, 15 March 2024', undefined],
  ['Thursday, March 15, 2024', undefined],
  // In Polish it is a Friday, and in Croatian a Tuesday.
  ['poniedziałek, 15 listopada 2024', undefined],
  ['petak, 15. listopada 2024.', 'hr'],
])('%j is no date, since it has another day of the week', (cell, language) => {
  const told = 'has another day of the week';
  expect(readDate('date', cell, { language })).toEqual({ told });
});

test.each([
  ['1er janvier 2026', '2026-01-01'],
  ['05/Jan/26', '2026-01-05'],
  ['13/1/2026 às 15:05', '2026-01-13'],
  ['5 janeiro 2026 perto das 15:05', undefined],
])('%j is %s, too', (cell, date) => {
  expect(valueIn('date', cell, {})).toBe(date);
});

// Years of other calendars are none.
test.each([
  ...['15/03/2567', '2567-03-15', '2567-03-15T10:00:00Z', '1403/01/15', '1403-01-15'],
  // Programs write these for no date.
  ...['0001-01-01', '0001-01-01T00:00:00Z', '1899-12-30', '9999-12-31', '9999-12-31 23:59:59'],
  '2024',
  '31/02/2024',
  'n/a',
  '12',
  '2024/13/01',
  '123456',
  '15/03/2024 25:00',
  '15/03/2024 24:00',
  '15/03/2024 10:00:60',
  '15/03/2024 13:00 AM',
  '15/03/2024 0:30 PM',
  // A time from ten to twelve, and no offset.
  '15/03/2024 10:00-12:00',
  '2024-03-15 10:00-12:00',
  '15/03/2024 15h',
  '15/03/2024 15:00 EST',
  '2024-03-15 15:00 CET',
  '2024-03-15T15:00[Europe/Lisbon]',
  '15/03/2024 15:00 GMT+2',
  'at 15:00 on 15/03/2024',
  '15:00 15/03/2024',
  '15/03/2024 or later',
  '15/03/2024?',
  '~15/03/2024',
  '15/03/2024 - 16/03/2024',
  '15-16 March 2024',
  '15 March 2024, Friday',
  '15 March 44 BC',
  '15 March 1402 AH',
  '-0044-03-15',
  '+002024-03-15',
  '2024-W10-5',
  '2024-075',
  '20240315',
  '15.3.2024.1',
  '15 . 3 . 2024',
  '20240315T101500Z',
  '1710460800',
  '2024-03',
  'March 2024',
  '15 March',
  'Q1 2024',
])('%j is no date', (cell) => {
  for (const type of ['date', 'datetime'] as const) {
    expect(readDate(type, cell, { timeZone: 'UTC' })).toEqual({ told: 'is no date' });
  }
});

test('a date of an export is of any year that the service takes', () => {
  const reading = { isExport: true };
  expect(readDate('date', '1850-03-15', reading)).toEqual({ value: '1850-03-15' });
  const time = '0001-01-01T00:00:00.000Z';
  expect(readDate('datetime', time, reading)).toEqual({ value: time });
});

test('which of two numbers is the month is not guessed', () => {
  expect(() => readDate('date', '05/06/2024', {})).toThrow(
    'Say --dates dmy if the day comes first',
  );
  expect(valueIn('date', '05/06/2024', { order: 'dmy' })).toBe('2024-06-05');
  expect(valueIn('date', '05/06/2024', { order: 'mdy' })).toBe('2024-05-06');
  // What was said holds for all: else half of a column would be read the other way.
  expect(valueIn('date', '25/06/2024', { order: 'mdy' })).toBeUndefined();
  expect(['BR', 'PT', 'US', 'JP', 'CA', 'TH', undefined].map(orderIn)).toEqual([
    ...['dmy', 'dmy', 'mdy', 'ymd'],
    ...[undefined, undefined, undefined],
  ]);
});

test.each<[string, DateReading, string]>([
  ['2024-03-12T09:14:45.123Z', {}, '2024-03-12T09:14:45.123Z'],
  ['2024-03-12 09:14 +02:00', {}, '2024-03-12T09:14:00+02:00'],
  ['2024-03-12 09:14', { timeZone: 'America/Sao_Paulo' }, '2024-03-12T12:14:00.000Z'],
  ['2024-07-12 09:14', { timeZone: 'Europe/Lisbon' }, '2024-07-12T08:14:00.000Z'],
  ['2024-01-12 09:14', { timeZone: 'Europe/Lisbon' }, '2024-01-12T09:14:00.000Z'],
  ['3/15/2024 12:30 AM', { timeZone: 'UTC' }, '2024-03-15T00:30:00.000Z'],
  // Nothing of a time is lost.
  ['2024-03-12 09:14:45.123 +02:00', {}, '2024-03-12T09:14:45.123+02:00'],
  ['2024-03-12 09:14:45,5', { timeZone: 'UTC' }, '2024-03-12T09:14:45.500Z'],
  ['1965-03-12 09:14:45.5', { timeZone: 'UTC' }, '1965-03-12T09:14:45.500Z'],
  ['2024-03-12T09:14:45.123000Z', {}, '2024-03-12T09:14:45.123Z'],
  ['2024-03-12 09:14:45.0000000', { timeZone: 'UTC' }, '2024-03-12T09:14:45.000Z'],
  ['2024-03-12 09:14 -03:00', {}, '2024-03-12T09:14:00-03:00'],
  // PostgreSQL writes an offset so.
  ['2024-03-12 09:14:45.123+00', {}, '2024-03-12T09:14:45.123+00:00'],
  // A spreadsheet's number has 15 digits, and shows seconds.
  ['45363.3852430556', { timeZone: 'UTC' }, '2024-03-12T09:14:45.000Z'],
  // An hour that there is twice is the first. A time that clocks pass over moves forward, as they do.
  ['2024-11-03 01:30', { timeZone: 'America/New_York' }, '2024-11-03T05:30:00.000Z'],
  ['2024-03-10 02:30', { timeZone: 'America/New_York' }, '2024-03-10T07:30:00.000Z'],
  ['2024-03-10 01:59', { timeZone: 'America/New_York' }, '2024-03-10T06:59:00.000Z'],
  ['2024-03-10 03:00', { timeZone: 'America/New_York' }, '2024-03-10T07:00:00.000Z'],
  ['2018-11-04 00:15', { timeZone: 'America/Sao_Paulo' }, '2018-11-04T03:15:00.000Z'],
  ['2024-10-06 02:15', { timeZone: 'Australia/Lord_Howe' }, '2024-10-05T15:45:00.000Z'],
  ['2011-12-30 10:00', { timeZone: 'Pacific/Apia' }, '2011-12-30T20:00:00.000Z'],
])('as a time, %j with %j is %s', (cell, reading, time) => {
  expect(readDate('datetime', cell, reading)).toEqual({ value: time });
});

test.each([
  ['2024-03-12T09:14:45.1234Z', '2024-03-12T09:14:45.123Z'],
  ['2024-03-12T09:14:45.999999999-03:00', '2024-03-12T09:14:45.999-03:00'],
  ['2024-03-12 09:14:45.123456 +02:00', '2024-03-12T09:14:45.123+02:00'],
  ['2024-03-12 09:14:45.123456+00', '2024-03-12T09:14:45.123+00:00'],
  ['2024-03-12 09:14:45.000001', '2024-03-12T12:14:45.000Z'],
  ['1967-06-12 09:14:45.9999', '1967-06-12T12:14:45.999Z'],
  ['12/03/2024 09:14:45,1239', '2024-03-12T12:14:45.123Z'],
])('%j is cut to milliseconds, and told', (cell, value) => {
  const reading = { timeZone: 'America/Sao_Paulo', order: 'dmy' } as const;
  const told = 'is cut to milliseconds';
  expect(readDate('datetime', cell, reading)).toEqual({ value, told });
});

test('of three numbers of two digits, what is the year is not guessed', () => {
  for (const cell of ['24/03/15', '15/03/24', '05.05.05']) {
    expect(() => readDate('date', cell, {})).toThrow('or --dates ymd if the year does');
  }
  const read = (order: DateReading['order']) => valueIn('date', '10-11-12', { order });
  expect([read('dmy'), read('mdy'), read('ymd')]).toEqual([
    ...['2012-11-10', '2012-10-11', '2010-11-12'],
  ]);
  // Where the year is first, a date that ends with it may be two all the same.
  expect(() => readDate('date', '05/06/2024', { order: 'ymd' })).toThrow('can be two dates');
  expect(valueIn('date', '25/06/2024', { order: 'ymd' })).toBe('2024-06-25');
});

test.each([
  ['26-mar-05', undefined],
  ['05-mar-26', undefined],
  ['31 mar 05', undefined],
  ['22. jún. 04.', undefined],
  // No day, one date, a year of four digits.
  ['05-mar-99', '1999-03-05'],
  ['05-mar-05', '2005-03-05'],
  ['5-mar-26', '2026-03-05'],
  ['05-mar-2026', '2026-03-05'],
])('where the year comes first, %j with two digits of a day and a year is %s', (cell, date) => {
  expect(valueIn('date', cell, { order: 'ymd' })).toBe(date);
  const told = date === undefined && 'may be two dates: its day and its year have two digits';
  expect(readDate('date', cell, { order: 'ymd' }).told).toBe(told || undefined);
  expect(valueIn('date', cell, { order: 'dmy' })).toMatch(/-0\d-/);
});

test.each([
  ['15/03/00', '2000-03-15'],
  ['15/03/29', '2029-03-15'],
  ['15/03/30', undefined],
  ['15.03.69', undefined],
  ['15-Mar-45', undefined],
  ['15/03/70', '1970-03-15'],
  ['15/03/99', '1999-03-15'],
])('the year of %j is one that all programs read so, or none: %s', (cell, date) => {
  const told = 'has a year of two digits that may be two years';
  expect(readDate('date', cell, { order: 'dmy' })).toEqual(
    date === undefined ? { told } : { value: date },
  );
});

test('of a time without an offset the zone is asked for', () => {
  expect(() => readDate('datetime', '2024-03-12 09:14', {})).toThrow('--time-zone');
  expect(() => assertTimeZone('Mars/Olympus')).toThrow('“Mars/Olympus” is not known');
  expect(() => assertTimeZone('America/Sao_Paulo')).not.toThrow();
});
