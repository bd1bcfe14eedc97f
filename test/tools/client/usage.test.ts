import { parse } from 'csv-parse/sync';
import { expect, onTestFinished, test } from 'vitest';
import { spend } from '../../support/billing.ts';
import { eventually } from '../../support/eventually.ts';
import { provision } from '../../support/organization.ts';
import { Leads } from './leads.ts';

const settingOf = async () => {
  const organization = await provision({ wallet: { pack_stars: 100 } });
  const day = new Date().toISOString().slice(0, 10);
  await spend(organization, 3, { feature: 'search' });
  await spend(organization, 4, { feature: '-cmd.exe' });
  await spend(organization, 5);
  await eventually(
    async () => (await organization.get('/billing/usage?group_by=feature')).body.items.length,
    (count) => count === 3,
  );
  const leads = await Leads.of(organization);
  onTestFinished(() => leads.close());
  await leads.setToken(organization.tokens.billing);
  return { leads, days: ['--from', day, '--to', new Date().toISOString().slice(0, 10)] };
};

test('usage is written as a table that no spreadsheet runs, with what named no feature', async () => {
  const { leads, days } = await settingOf();
  const { code, stdout, stderr } = await leads.run('usage', ...days, '--by', 'feature');
  expect([code, stdout[0], stderr]).toEqual([
    0,
    '\ufeff',
    expect.stringMatching(/^Counted until 2/),
  ]);
  expect(parse(stdout, { bom: true })).toEqual([
    ['feature', 'spent_stars', 'refunded_stars'],
    ['', '5', '0'],
    ["'-cmd.exe", '4', '0'],
    ['search', '3', '0'],
  ]);
});

test('usage is of days unless told, and as JSON as the API tells it', async () => {
  const { leads, days } = await settingOf();
  const lines = (await leads.run('usage', ...days, '--format', 'ndjson')).stdout.trimEnd();
  const items = lines.split('\n').map((line) => JSON.parse(line));
  expect(items[0].day).toBe(days[1]);
  expect(items.reduce((all, { spent_stars }) => all + spent_stars, 0)).toBe(12);
  const plain = await leads.run('usage', ...days, '--no-bom');
  expect(plain.stdout.split('\n').slice(0, 2)).toEqual([
    'day,spent_stars,refunded_stars',
    expect.stringMatching(new RegExp(`^${days[1]},\\d+,0$`)),
  ]);
});

test('a day that is none is refused', async () => {
  const { leads } = await settingOf();
  const { code, stdout, stderr } = await leads.run('usage', '--from', '2026-02-30');
  expect([code, stdout]).toEqual([1, expect.not.stringContaining('2026')]);
  expect(stderr).toMatch(/from/);
});
