import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { provision } from '../../support/organization.ts';
import { seed } from '../../support/random.ts';
import { some } from '../../support/some.ts';
import {
  places,
  type Written,
  writtenFields,
  writtenMap,
  writtenRow,
} from '../../support/written-values.ts';
import { Leads } from './leads.ts';

// The order of dates is known there: elsewhere it is asked for, and nothing comes in.
const certain = places.filter(({ country }) => country !== 'TH');

test.each(some(certain, 3, 'places'))(
  `of a file of $country, each value is in its lead just so, or in the report (SEED=${seed})`,
  async (place) => {
    const { country, currency, timeZone } = place;
    const organization = await provision({ currency });
    const leads = await Leads.of(organization);
    onTestFinished(() => leads.close());
    for (const field of writtenFields) {
      await organization.post('/fields', { label: field.key, ...field });
    }
    const rows = fc.sample(writtenRow(place), { seed, numRuns: 60 });
    const header = ['contact_name', ...rows[0]!.map(({ column }) => column)];
    const lines = rows.map((row, i) => [`Row ${i}`, ...row.map(({ cell }) => cell)]);
    const file = await leads.file('leads.csv', stringify([header, ...lines], { bom: true }));
    const args = ['--pipeline', organization.pipelineId, '--country', country];
    args.push('--time-zone', timeZone, ...writtenMap.flatMap((one) => ['--map', one.join('=')]));
    const { code, stderr } = await leads.run('import', file, ...args);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('Error')]);
    const report: string[][] = parse(await leads.read('leads.csv.report.csv'), { from_line: 2 });
    const stored = new Map(
      (await organization.readAll('/leads')).map((lead) => [lead.contact_name, lead]),
    );
    const counts = { exact: 0, told: 0 };
    const look = ({ field, cell, value, isCut }: Written, i: number) => {
      // The first line has the names.
      const told = report.filter(([line]) => line === String(i + 2));
      const lead = stored.get(`Row ${i}`);
      const key = /^fields\.(.+)/.exec(field)?.[1];
      const got = key === undefined ? lead?.[field] : lead?.fields[key];
      const isTold = told.some(([, code, of]) => code !== 'left_out' || of === field);
      const isThere =
        got !== undefined && got !== null && !(Array.isArray(got) && got.length === 0);
      if (isThere) expect([field, cell, got]).toEqual([field, cell, value]);
      if (!isThere || isCut) expect([field, cell, isTold]).toEqual([field, cell, true]);
      counts[isThere ? 'exact' : 'told']++;
    };
    rows.forEach((row, i) => {
      for (const one of row) look(one, i);
    });
    expect(Math.min(counts.exact, counts.told)).toBeGreaterThan(60);
  },
);
