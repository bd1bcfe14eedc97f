import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { provision } from '../../support/organization.ts';
import { ownDirectory } from './support.ts';

const service = inject('service');
const script = join(import.meta.dirname, '../../../tools/dev/event.ts');
const run = promisify(execFile);

const directory = ownDirectory();

const send = (...args: string[]) =>
  run(process.execPath, [script, ...args], { cwd: directory }).then(
    ({ stdout }) => ({ failed: false, said: stdout }),
    ({ stderr }) => ({ failed: true, said: stderr as string }),
  );

const purchase = (id: string) => ['pack.purchased', '--organization', id, '--stars', '500'];

test('an event shows in the balance of the service whose file is named', async () => {
  const organization = await provision();
  const { id } = organization;
  expect((await send(...purchase(id))).said).toBe(
    'No service runs here: start one with npm run dev.\n',
  );
  const ready = { events_endpoint: service.eventsEndpoint, event_bus_name: service.eventBusName };
  const file = join(directory, 'ready.json');
  await writeFile(file, JSON.stringify({ ...ready, base_url: service.baseUrl }));
  const { failed, said } = await send(
    ...[...purchase(id), '--event-id', 'order-1', '--ready-file', file],
  );
  expect([failed, JSON.parse(said)]).toEqual([
    false,
    { event_id: 'order-1', organization_id: id, stars: 500 },
  ]);
  const adjustment = ['stars.adjusted', '--organization', id, '--pack-change', '-30'];
  await send(...adjustment, '--reason', 'test', '--ready-file', file);
  await eventually(
    async () => (await organization.get('/billing/balance')).body,
    ({ pack_stars }) => pack_stars === 470,
  );
});

const toSomebody = purchase(crypto.randomUUID());

test.each<[string, string[], string]>([
  ['no type', [], 'Types:'],
  ['an unknown type', ['pack.stolen', ...toSomebody.slice(1)], 'TYPE: must be one of'],
  ['no organization', ['pack.purchased', '--stars', '5'], '--organization: is required'],
  ['no number', [...toSomebody, '--stars', ''], '--stars: must be a whole number'],
  ['a field of another type', [...toSomebody, '--tier', 'pro'], '--tier: is not known here'],
  ['an unknown option', [...toSomebody, '--color', 'red'], '--color'],
])('%s is told before anything is sent', async (_name, args, what) => {
  const { failed, said } = await send(...args);
  expect(failed).toBe(true);
  expect(said).toContain(what);
  expect(said).toContain('npm run event');
});
