import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { provision } from '../../support/organization.ts';
import { session, stripeEvent } from '../../support/stripe-events.ts';
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

test('an event is printed, and shows in the balance of the service whose file is named', async () => {
  const organization = await provision({ wallet: { pack_stars: 500 } });
  const { eventsEndpoint: events_endpoint, eventBusName: event_bus_name, baseUrl } = service;
  const file = join(directory, 'ready.json');
  await writeFile(file, JSON.stringify({ events_endpoint, event_bus_name, base_url: baseUrl }));
  const event = { event_id: 'order-1', organization_id: organization.id, reason: 'test' };
  const adjustment = ['stars.adjusted', '--organization', organization.id, '--reason', 'test'];
  const named = ['--pack-change', '-30', '--event-id', 'order-1', '--ready-file', file];
  const { failed, said } = await send(...adjustment, ...named);
  expect([failed, JSON.parse(said)]).toEqual([false, { ...event, pack_change: -30 }]);
  await eventually(
    async () => (await organization.get('/billing/balance')).body,
    ({ pack_stars }) => pack_stars === 470,
  );
});

test('an event of Stripe is sent from a file, and gives stars', async () => {
  const organization = await provision();
  const metadata = { organization_id: organization.id, stars: '500' };
  const event = stripeEvent('checkout.session.completed', session({ metadata }));
  const { eventsEndpoint: events_endpoint, stripeBusName, baseUrl } = service;
  const ready = join(directory, 'ready-for-stripe.json');
  const file = join(directory, 'event.json');
  const stripe_event_bus_name = stripeBusName;
  await writeFile(
    ready,
    JSON.stringify({ events_endpoint, stripe_event_bus_name, base_url: baseUrl }),
  );
  await writeFile(file, JSON.stringify(event));
  const { failed, said } = await send('--stripe', file, '--ready-file', ready);
  expect([failed, JSON.parse(said)]).toEqual([false, event]);
  await eventually(
    async () => (await organization.get('/billing/balance')).body,
    ({ pack_stars }) => pack_stars === 500,
  );
});

test.each([
  ['no JSON', 'stars', 'has no JSON'],
  ['no event', '{"id":"evt_1"}', 'is no event of Stripe'],
  ['a thin event', '{"id":"evt_1","type":"v1.invoice.paid"}', 'payload style “Snapshot”'],
  ['a type that gives nothing', JSON.stringify(stripeEvent('product.created', {})), 'goes nowhere'],
])(
  'a file with %s is told before anything is sent',
  { tags: ['long'] },
  async (_what, text, told) => {
    const file = join(directory, 'wrong.json');
    await writeFile(file, text);
    expect(await send('--stripe', file)).toEqual({
      failed: true,
      said: expect.stringContaining(told),
    });
  },
);

const toSomebody = ['pack.purchased', '--organization', crypto.randomUUID(), '--stars', '500'];
const wrong: [name: string, args: string[], what: string][] = [
  ['a field of another type', [...toSomebody, '--tier', 'pro'], '--tier: is not known here'],
  ['no type', [], 'Give one of a type and --stripe'],
  ['a type and a file', [...toSomebody, '--stripe', 'a.json'], 'Give one of a type and --stripe'],
  ['an id of Stripe’s', [...toSomebody, '--event-id', 'stripe:a'], '--event-id: must not begin'],
  ['an unknown type', ['pack.stolen', ...toSomebody.slice(1)], 'TYPE: must be one of'],
  ['no organization', ['pack.purchased', '--stars', '5'], '--organization: is required'],
  ['no number', [...toSomebody, '--stars', ''], '--stars: must be a whole number'],
  ['an unknown option', [...toSomebody, '--color', 'red'], '--color'],
];
const isTold = async (_name: string, args: string[], what: string) => {
  const { failed, said } = await send(...args);
  expect([failed, said]).toEqual([true, expect.stringContaining(what)]);
  expect(said).toContain('npm run event');
};
const title = '%s is told before anything is sent';
test.each(wrong.slice(0, 1))(title, isTold);
test.each(wrong.slice(1))(title, { tags: ['long'] }, isTold);
