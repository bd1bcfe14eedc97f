import { expect, test } from 'vitest';
import { planOf } from '../../../packages/client/src/cli/columns.ts';
import { leadsOfCells } from '../../../packages/client/src/cli/leads.ts';
import { presetNames, presetOf } from '../../../packages/client/src/cli/presets/presets.ts';
import { inspect, rowsOf } from '../../../packages/client/src/cli/rows.ts';
import { GivenValues } from '../../../packages/client/src/cli/values/given-values.ts';
import { phoneReadingOf } from '../../../packages/client/src/cli/values/phone-reading.ts';
import { systemExports } from '../../support/system-exports.ts';
import { allOf, fileOf } from './support.ts';

const phones = await phoneReadingOf('BR');
const custom = new Map([['form_id', { type: 'text', label: 'Form' }]]);

test.each(systemExports)('$from: $name', async ({ from, content, leads, told, leftOut }) => {
  const file = await fileOf('export.csv', content);
  const leadFile = await inspect(file);
  const preset = presetOf(from);
  const plan = planOf(leadFile, { map: new Map(), preset }, custom);
  const values = new GivenValues([], preset.values);
  const toLead = leadsOfCells(plan, { phones, currency: 'BRL', values }, custom);
  const rows = (await allOf(rowsOf(file, leadFile))).map((row) => ({ row, made: toLead(row) }));
  expect(rows.flatMap(({ made }) => ('lead' in made ? [made.lead] : []))).toEqual(leads);
  const all = rows.flatMap(({ row: { line }, made }) =>
    'lead' in made
      ? (made.leftOut ?? []).map(({ field, message }) => [line, field, message])
      : [[line, '', made.problem]],
  );
  expect(all).toEqual(
    told.map(([line, field, message]) => [line, field, expect.stringContaining(message)]),
  );
  expect(plan.leftOut).toEqual(leftOut);
});

test('each preset but those with files of their own is tried', () => {
  const tried = new Set(['hubspot', 'pipedrive', ...systemExports.map(({ from }) => from)]);
  expect([...tried].sort()).toEqual([...presetNames].sort());
});
