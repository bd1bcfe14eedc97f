import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planOf } from '../../../packages/client/src/cli/columns.ts';
import type { Made } from '../../../packages/client/src/cli/fields.ts';
import { leadsOfCells } from '../../../packages/client/src/cli/leads.ts';
import { languageIn } from '../../../packages/client/src/cli/values/calendar-names.ts';
import { orderIn } from '../../../packages/client/src/cli/values/date-orders.ts';
import { LongNumbers } from '../../../packages/client/src/cli/values/long-numbers.ts';
import { phoneReadingOf } from '../../../packages/client/src/cli/values/phone-reading.ts';
import { seed } from '../../support/random.ts';
import { times } from '../../support/some.ts';
import {
  options,
  places,
  type Written,
  writtenFields,
  writtenMap,
  writtenRow,
} from '../../support/written-values.ts';
import { csv } from './support.ts';

const custom = new Map(writtenFields.map(({ key, ...field }) => [key, { label: key, ...field }]));

/** Whether the service refuses a value: the command leaves it out then, and tells. */
const isRefused = (field: string, value: unknown): boolean => {
  if (field === 'fields.size') return typeof value !== 'number';
  if (field === 'fields.agreed') return typeof value !== 'boolean';
  return field === 'fields.kind' && !options.includes(String(value));
};

const same = (field: string, a: unknown, b: unknown): boolean =>
  field === 'next_step_at' && typeof a === 'string' && typeof b === 'string'
    ? Date.parse(a) === Date.parse(b)
    : JSON.stringify(a) === JSON.stringify(b);

/** The lead of a row; undefined where the import does not begin, since a date may be two. */
const madeOf = (read: () => Made) => {
  try {
    const made = read();
    if ('lead' in made) return made;
    throw new Error(made.problem);
  } catch (error) {
    if (/can be two dates/.test((error as Error).message)) return undefined;
    throw error;
  }
};

const cases = places.flatMap((place) => [
  { ...place, place, isSaid: true, said: 'that is said' },
  { ...place, place, isSaid: false, said: 'that nobody says' },
]);

test.each(cases)(
  `of $country, $said, every value is exact or told (SEED=${seed})`,
  async ({ place, currency, timeZone, isSaid }) => {
    const country = isSaid ? place.country : undefined;
    const { country: at } = place;
    const dates = { order: orderIn(at), language: languageIn(at), timeZone };
    const phones = await phoneReadingOf(country);
    const counts = { exact: 0, told: 0, asked: 0 };
    /** Whether the value came in just as it was meant, or not at all, and is told. */
    const becomes = (
      { field, cell, value, isSure, isCut }: Written,
      lead: never,
      told: string[],
    ) => {
      const key = /^fields\.(.+)/.exec(field)?.[1];
      const all = (key ? (lead as { fields?: object }).fields : lead) as Record<string, unknown>;
      const got = all?.[key ?? field];
      const isThere = got !== undefined && !isRefused(field, got);
      const isTold = told.includes(field) || (got !== undefined && !isThere);
      if (isThere)
        expect([field, cell, got]).toEqual([field, cell, same(field, got, value) ? got : value]);
      if (!isThere || isCut) expect([field, cell, isTold]).toEqual([field, cell, true]);
      // Without the country, some amounts, numbers and phones may be two, or none.
      if (isSure && isSaid) expect([field, cell, isThere]).toEqual([field, cell, true]);
      counts[isThere ? 'exact' : 'told']++;
    };
    fc.assert(
      fc.property(writtenRow(place), (row) => {
        const leadFile = csv(['contact_name', ...row.map(({ column }) => column)]);
        const plan = planOf(leadFile, { map: new Map(writtenMap) }, custom);
        const cells = ['Ana', ...row.map(({ cell }) => cell)];
        const longNumbers = new LongNumbers();
        cells.forEach((cell, i) => {
          longNumbers.add(i, cell);
        });
        const reading = { phones, country, currency, dates, longNumbers };
        const toLead = leadsOfCells(plan, reading, custom);
        const made = madeOf(() => toLead({ line: 2, content: { cells } }));
        if (made === undefined) counts.asked++;
        else {
          const told = (made.leftOut ?? []).map(({ field }) => field);
          for (const one of row) becomes(one, made.lead as never, told);
        }
      }),
      { seed, numRuns: times(150, 1500) },
    );
    expect(Math.min(counts.exact, counts.told)).toBeGreaterThan(150);
    // The order of dates is asked for only where two orders or calendars are usual.
    expect(counts.asked > 0).toBe(dates.order === undefined);
  },
);
