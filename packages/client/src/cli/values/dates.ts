import { CliError } from '../cli-error.ts';
import { type DateForm, type DateParts, isUsual, partsOf } from './date-parts.ts';
import { visibleText } from './plain-text.ts';
import { dayIn, inZone } from './time-zones.ts';

/** How dates are read: which of two is meant, and where clocks are that show no offset. */
export interface DateReading extends DateForm {
  timeZone?: string | undefined;
  /** Whether `leads export` wrote them: then they are as the service has them, of any year. */
  isExport?: boolean;
}

/** What a cell is as a date, and what is told of it: why it is none, or what was cut. */
export interface DateRead {
  value?: string;
  told?: string;
}

/** The forms of the service. */
const isDay = /^\d{4}-\d{2}-\d{2}$/;
const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads the date of a cell as spreadsheets and other systems write it, as the type of its custom field takes it. Throws
 * `CliError` where it may be two dates, as 05/06/2026 or 5 listopada 2026.
 */
export const readDate = (
  type: 'date' | 'datetime',
  cell: string,
  reading: DateReading,
): DateRead => {
  const text = visibleText(cell);
  // A text in the form of the service stays as it is.
  const isOwn = reading.isExport === true || isUsual(Number(text.slice(0, 4)));
  if (isOwn && type === 'date' && isDay.test(text)) return { value: text };
  if (isOwn && type === 'datetime' && isTime.test(text)) return inMilliseconds(text);
  const parts = partsOf(text, reading);
  if ('why' in parts) return { told: parts.why };
  return type === 'date' ? dayOf(parts, reading) : timeOf(text, parts, reading);
};

/** The day alone. Many programs write midnight where they mean no time; a midnight somewhere else is another time here. */
const dayOf = ({ day, time, offset }: DateParts, { timeZone }: DateReading): DateRead => {
  if (offset === '' && /^[0:.]+$/.test(time)) return { value: day };
  const isElsewhere = offset !== '' && timeZone !== undefined;
  const value = isElsewhere ? dayIn(Date.parse(`${day}T${time}${offset}`), timeZone) : day;
  return { value, told: `is cut to ${value}, without its time` };
};

const timeOf = (text: string, parts: DateParts, { timeZone }: DateReading): DateRead => {
  const local = `${parts.day}T${parts.time}`;
  if (parts.offset !== '') return inMilliseconds(`${local}${parts.offset}`);
  if (timeZone === undefined) {
    throw new CliError(
      `“${text}” has no time zone. Say which with --time-zone, such as America/Sao_Paulo, or UTC.`,
    );
  }
  const { value, ...told } = inMilliseconds(local);
  return { value: inZone(value, timeZone), ...told };
};

/** What is told of a time in the form of the service, if that cuts it. */
export const cutOf = (time: unknown): string | undefined =>
  typeof time === 'string' && isTime.test(time) ? inMilliseconds(time).told : undefined;

/** Cuts what is finer than a millisecond, which the service does not keep. */
const inMilliseconds = (time: string): DateRead & { value: string } => {
  const [, whole = time, finer = '', offset = ''] = /^(.*\.\d{3})(\d+)(.*)$/.exec(time) ?? [];
  const value = `${whole}${offset}`;
  return /[1-9]/.test(finer) ? { value, told: 'is cut to milliseconds' } : { value };
};
