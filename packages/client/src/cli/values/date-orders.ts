/** The part of a date that comes first: the day, the month or the year. */
export type DateOrder = 'dmy' | 'mdy' | 'ymd';
export const dateOrders: readonly DateOrder[] = ['dmy', 'mdy', 'ymd'];

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
