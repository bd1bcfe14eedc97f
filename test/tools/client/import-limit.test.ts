import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import {
  burstSeconds,
  tolerance,
  usualPerSecond,
} from '../../../lib/organizations/request-limit.ts';
import { eventually } from '../../support/eventually.ts';
import { limitOrganization, useUpLimit } from '../../support/limit.ts';
import { provision } from '../../support/organization.ts';
import { pick, random, seed } from '../../support/random.ts';
import { times } from '../../support/some.ts';
import { openTableAt } from '../../support/table.ts';
import { Leads } from './leads.ts';

const { tableEndpoint, tableName } = inject('service');
const table = openTableAt(tableEndpoint, tableName);

const perSecond = times(usualPerSecond, 2 * usualPerSecond);
const rows = times(200, Number(process.env.ROWS ?? 10_000));

/** Rows as HubSpot writes them. Some have a value that only the service can refuse: these are sent again without it. */
const linesOf = (): string[] =>
  Array.from({ length: rows }, (_, i) => {
    const name = i % 7 === 0 ? ',' : `Lead,${i}`;
    const status = i % 25 === 3 ? 'Gone' : 'NEW';
    const email = i % 50 === 9 ? `row-${i - 5}@example.com` : `row-${i}@example.com`;
    return `${i},${name},${email},(11) 9${String(80_000_000 + i)},${status}`;
  });

test(`${rows} rows, killed and started again, come in once each where the service refuses by its limit (SEED=${seed})`, async () => {
  const next = random(seed);
  const organization = await provision();
  const leads = await Leads.of(organization);
  onTestFinished(() => leads.close());
  const field = { key: 'lead_status', label: 'Lead Status', type: 'select', options: ['NEW'] };
  await organization.post('/fields', field);
  const header = 'Record ID,First Name,Last Name,Email,Phone Number,Lead Status';
  const file = await leads.file('contacts.csv', [header, ...linesOf()].join('\n'));
  const args = ['import', file, '--from', 'hubspot', '--country', 'BR'];
  args.push('--pipeline', organization.pipelineId);
  const state = leads.path('contacts.csv.report.csv.state');
  await limitOrganization(table, organization.id, perSecond);
  let last: Awaited<ReturnType<typeof leads.run>> | undefined;
  for (let kills = 0; kills < times(1, 5) && (kills === 0 || existsSync(state)); kills++) {
    // As if others had used up what the organization may send for two seconds.
    const debtMs = 2000 + (burstSeconds + tolerance / perSecond) * 1000;
    await useUpLimit(table, organization.id, debtMs);
    expect((await organization.get('/organization')).status).toBe(429);
    const { process: child, ended } = leads.start(args);
    const exited = once(child, 'exit');
    while (child.exitCode === null && child.signalCode === null && !existsSync(state))
      await wait(5);
    await Promise.race([wait(pick(next, [0, 500, 2000])), exited]);
    child.kill('SIGKILL');
    last = await ended;
  }
  if (existsSync(state)) last = await leads.start(args).ended;
  expect([last?.code ?? 0, existsSync(state)]).toEqual([0, false]);
  // The import has used up the limit: what the test reads after it has another one.
  await limitOrganization(table, organization.id, 100 * perSecond);
  const readStatus = async () => (await organization.get('/organization')).status;
  await eventually(readStatus, (status) => status === 200);
  const ids = (await organization.readAll('/leads')).map(({ external_id }) => Number(external_id));
  const refused = Array.from({ length: rows }, (_, i) => i).filter((i) => i % 50 === 9);
  const wanted = Array.from({ length: rows }, (_, i) => i).filter((i) => i % 50 !== 9);
  expect(ids.sort((a, b) => a - b)).toEqual(wanted);
  const report = (await leads.read('contacts.csv.report.csv')).trim().split('\n').slice(1);
  const count = (code: string) => report.filter((line) => line.split(',')[1] === code).length;
  expect([count('duplicate_lead'), count('left_out'), report.length]).toEqual([
    refused.length,
    wanted.filter((i) => i % 25 === 3).length,
    refused.length + wanted.filter((i) => i % 25 === 3).length,
  ]);
});
