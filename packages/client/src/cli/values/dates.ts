import { CliError } from '../cli-error.ts';
import type { DateOrder } from './date-orders.ts';
import { type DateParts, partsOf } from './date-parts.ts';
import { visibleText } from './plain-text.ts';
import { inZone } from './time-zones.ts';

/** How dates are read: what comes first in 05/06/2026 or 26/05/06, and where clocks are that show no offset. */
export interface DateReading {
  order?: DateOrder | undefined;
  timeZone?: string | undefined;
}

/** What a cell is as a date, and what is told of it: why it is none. */
export interface DateRead {
  value?: string;
  told?: string;
}

const isExact = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  datetime: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/,
};

/**
 * Reads the date of a cell as spreadsheets and other systems write it, as the type of its custom field takes it. Throws
 * `CliError` where it may be two dates, as 05/06/2026.
 */
export const readDate = (
  type: 'date' | 'datetime',
  cell: string,
  reading: DateReading,
): DateRead => {
  const text = visibleText(cell);
  // A text in the form of the service stays as it is.
  if (isExact[type].test(text)) return { value: text };
  const parts = partsOf(text, reading.order);
  if ('why' in parts) return { told: parts.why };
  return type === 'date' ? { value: parts.day } : { value: timeOf(text, parts, reading) };
};

const timeOf = (text: string, parts: DateParts, { timeZone }: DateReading): string => {
  const local = `${parts.day}T${parts.time}`;
  if (parts.offset !== '') return `${local}${parts.offset}`;
  if (timeZone === undefined) {
    throw new CliError(
      `“${text}” has no time zone. Say which with --time-zone, such as America/Sao_Paulo, or UTC.`,
    );
  }
  return inZone(local, timeZone);
};
