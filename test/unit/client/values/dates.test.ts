import { expect, test } from 'vitest';
import {
  assertTimeZone,
  type DateReading,
  orderIn,
  readDate,
} from '../../../../packages/client/src/cli/values/dates.ts';

test.each([
  ['2024-03-12', '2024-03-12'],
  // HubSpot and Pipedrive write these.
  ['2024-03-12 09:14', '2024-03-12'],
  ['2024-03-12 09:14:45', '2024-03-12'],
  ['2024-03-12T09:14:45.123Z', '2024-03-12'],
  ['2024/3/12', '2024-03-12'],
  ['3/15/2024 2:30 PM', '2024-03-15'],
  ['15/03/2024', '2024-03-15'],
  ['05/05/2024', '2024-05-05'],
  ['15.03.2024', '2024-03-15'],
  ['15/03/24', '2024-03-15'],
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
  expect(readDate('date', cell, {})).toBe(date);
});

test.each(['2024', '31/02/2024', 'n/a', '12', '2024/13/01', '123456', '15/03/2024 25:00'])(
  '%j is no date',
  (cell) => {
    expect(readDate('date', cell, {})).toBeUndefined();
  },
);

test('which of two numbers is the month is not guessed', () => {
  expect(() => readDate('date', '05/06/2024', {})).toThrow(
    'Say --dates dmy if the day comes first',
  );
  expect(readDate('date', '05/06/2024', { order: 'dmy' })).toBe('2024-06-05');
  expect(readDate('date', '05/06/2024', { order: 'mdy' })).toBe('2024-05-06');
  // What was said holds for all: else half of a column would be read the other way.
  expect(readDate('date', '25/06/2024', { order: 'mdy' })).toBeUndefined();
  expect(['BR', 'PT', 'US', 'CA', undefined].map(orderIn)).toEqual([
    'dmy',
    'dmy',
    'mdy',
    undefined,
    undefined,
  ]);
});

test.each<[string, DateReading, string]>([
  ['2024-03-12T09:14:45.123Z', {}, '2024-03-12T09:14:45.123Z'],
  ['2024-03-12 09:14 +02:00', {}, '2024-03-12T09:14:00+02:00'],
  ['2024-03-12 09:14', { timeZone: 'America/Sao_Paulo' }, '2024-03-12T12:14:00.000Z'],
  ['2024-07-12 09:14', { timeZone: 'Europe/Lisbon' }, '2024-07-12T08:14:00.000Z'],
  ['2024-01-12 09:14', { timeZone: 'Europe/Lisbon' }, '2024-01-12T09:14:00.000Z'],
  ['3/15/2024 12:30 AM', { timeZone: 'UTC' }, '2024-03-15T00:30:00.000Z'],
])('as a time, %j with %j is %s', (cell, reading, time) => {
  expect(readDate('datetime', cell, reading)).toBe(time);
});

test('of a time without an offset the zone is asked for', () => {
  expect(() => readDate('datetime', '2024-03-12 09:14', {})).toThrow('--time-zone');
  expect(() => assertTimeZone('Mars/Olympus')).toThrow('“Mars/Olympus” is not known');
  expect(() => assertTimeZone('America/Sao_Paulo')).not.toThrow();
});
