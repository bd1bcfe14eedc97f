import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { ClientFaults } from '../../support/faults/client-faults.ts';
import { FaultProxy } from '../../support/faults/fault-proxy.ts';
import { provision } from '../../support/organization.ts';
import { sign } from '../../support/tokens.ts';
import { Leads } from './leads.ts';

const setUp = async () => {
  const organization = await provision();
  const leads = await Leads.of(organization);
  onTestFinished(() => leads.close());
  await organization.lead();
  return { organization, leads };
};

test('a file that can’t be written is told in a line', async () => {
  const { leads } = await setUp();
  const ended = await leads.run('export', leads.path('no/such/leads.csv'));
  expect([ended.code, ended.stdout]).toEqual([1, '']);
  expect(ended.stderr.trim()).toMatch(/^.*leads\.csv can’t be written: .*no such file.*$/);
});

test('without a file, or with `-`, it goes to standard output', async () => {
  const { leads } = await setUp();
  const [unnamed, dash] = await Promise.all([leads.run('export'), leads.run('export', '-')]);
  expect(unnamed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^id,.*\n[^\n]+\n$/) });
  expect(dash).toEqual(unnamed);
  expect(existsSync(leads.path('-'))).toBe(false);
});

test('an export that fails leaves what was there', async () => {
  const { leads } = await setUp();
  const file = await leads.file('leads.csv', 'of yesterday');
  await leads.setToken(await sign({ sub: randomUUID() }));
  const refused = await leads.run('export', file);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^forbidden/)]);
  expect(await leads.read('leads.csv')).toBe('of yesterday');
  expect(readdirSync(leads.path('.')).filter((name) => name.endsWith('.new'))).toEqual([]);
});

test('a token that ends is waited for', async () => {
  const { organization, leads } = await setUp();
  const faults = new ClientFaults();
  const proxy = await FaultProxy.start(inject('service').baseUrl, [faults.step]);
  onTestFinished(() => proxy.close());
  const expired = Math.floor(Date.now() / 1000) - 60;
  const sub = organization.users.agent;
  await leads.setToken(await sign({ sub, exp: expired, iat: expired - 60 }));
  const { ended } = leads.start(['export', 'leads.csv', '--base-url', proxy.endpoint]);
  await eventually(
    () => faults.seen.length,
    (requests) => requests > 0,
    60_000,
  );
  await leads.setToken(organization.tokens.agent);
  expect(await ended).toMatchObject({ code: 0, stdout: '1 leads\n' });
});
