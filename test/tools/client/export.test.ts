import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { provision } from '../../support/organization.ts';
import { sign } from '../../support/tokens.ts';
import { Leads } from './leads.ts';

test('without a file, or with `-`, it goes to standard output; one that fails leaves what was there', async () => {
  const organization = await provision();
  const leads = await Leads.of(organization);
  onTestFinished(() => leads.close());
  await organization.lead();
  const [unnamed, dash] = await Promise.all([leads.run('export'), leads.run('export', '-')]);
  expect(unnamed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^id,.*\n[^\n]+\n$/) });
  expect(dash).toEqual(unnamed);
  expect(existsSync(leads.path('-'))).toBe(false);

  const nowhere = await leads.run('export', leads.path('no/such/leads.csv'));
  expect([nowhere.code, nowhere.stdout]).toEqual([1, '']);
  expect(nowhere.stderr.trim()).toMatch(/^.*leads\.csv can’t be written: .*no such file.*$/);

  const file = await leads.file('leads.csv', 'of yesterday');
  await leads.setToken(await sign({ sub: randomUUID() }));
  const refused = await leads.run('export', file);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^forbidden/)]);
  expect(await leads.read('leads.csv')).toBe('of yesterday');
  expect(readdirSync(leads.path('.')).filter((name) => name.endsWith('.new'))).toEqual([]);
});
