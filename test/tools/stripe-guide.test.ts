import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { stripeEventTypes } from '../../lib/stripe/read-event.ts';
import { balanceOf } from '../support/billing.ts';
import { given } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { callAsPlatform, provision } from '../support/organization.ts';
import { serverOf } from '../support/server.ts';
import { stripeId } from '../support/stripe-events.ts';
import { ownDirectory } from './dev/support.ts';

// What docs/stripe.md has to copy. Of Stripe itself, nothing is asked here.

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/stripe.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
const service = inject('service');
const directory = ownDirectory();

/** Runs a block that sends an event to the service of the tests. */
const send = async (block: string, variables: Record<string, string>): Promise<string> => {
  const { eventsEndpoint, stripeBusName, baseUrl } = service;
  const ready = join(directory, 'ready.json');
  await writeFile(
    ready,
    JSON.stringify({
      events_endpoint: eventsEndpoint,
      stripe_event_bus_name: stripeBusName,
      base_url: baseUrl,
    }),
  );
  await mkdir(join(directory, '.local'), { recursive: true });
  const command = `"${process.execPath}" "${join(root, 'tools/dev/event.ts')}" --ready-file "${ready}"`;
  const script = block.replace('. .local/env.sh', '').replace('npm run event --', command);
  expect(script).toContain(command);
  const env = { ...given, BASE_URL: baseUrl, ...variables };
  const { stdout } = await promisify(execFile)('sh', ['-ec', script], { env, cwd: directory });
  return stdout;
};

test('the event that can be tried without an account gives its stars once', async () => {
  const [first = ''] = blocks;
  const organization = await provision();
  const { id: ORGANIZATION, tokens } = organization;
  expect(await send(first, { TOKEN: tokens.owner, ORGANIZATION })).toContain('"pack_stars"');
  await eventually(
    () => balanceOf(organization),
    ({ pack_stars }) => pack_stars === 500,
  );
});

test('the invoice that can be tried without an account gives the stars of three seats', async () => {
  const [, invoice = ''] = blocks.filter((block) => block.includes('END'));
  const organization = await provision();
  const price = stripeId('price');
  const plan = { name: 'Basic', monthly_grant_stars: 300, price_cents: 2000, currency: 'EUR' };
  const path = `/billing/plans/${crypto.randomUUID()}`;
  const put = await callAsPlatform('PUT', path, { ...plan, stripe_prices: [price] });
  expect(put.status).toBe(201);
  await send(invoice, { CUSTOMER: organization.id, PRICE: price });
  await eventually(
    () => balanceOf(organization),
    ({ monthly_stars }) => monthly_stars === 900,
  );
});

/** What stands in for Stripe, and the forms that it was sent: it answers each path as Stripe does, as far as is looked at. */
const standIn = async () => {
  const forms: string[] = [];
  const ids: string[] = [];
  const origin = await serverOf(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const path = request.url!.replace('/v1/', '');
    forms.push(`${request.method} ${path} ${decodeURIComponent(body)}`);
    const id = stripeId(path.startsWith('prices') ? 'price' : 'x');
    ids.push(id);
    response.end(JSON.stringify({ id, status: 'ready', items: { data: [{ id: 'si_1' }] } }));
  });
  return { origin, forms, ids };
};

const runAgainst = async (origin: string, script: string, customer: string) => {
  const env = {
    ...given,
    BASE_URL: service.baseUrl,
    PLATFORM_KEY: service.platformKey,
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_URL: origin,
    WAIT: '0',
    CUSTOMER: customer,
  };
  const { stdout } = await promisify(execFile)('sh', ['-ec', script], { env, cwd: directory });
  return stdout;
};

test('packs and subscriptions are sold as it says', async () => {
  const organization = await provision();
  const { origin, forms, ids } = await standIn();
  const [pack = '', subscribe = ''] = blocks.filter((block) => block.includes('checkout/sessions'));
  const tier = crypto.randomUUID();
  const script = [pack, subscribe.replace('plans/basic', `plans/${tier}`)]
    .join('\n')
    .replaceAll('https://api.stripe.com', origin)
    .replace('price_…', 'price_of_the_guide');
  expect(await runAgainst(origin, script, organization.id)).toContain(ids[0]);
  const ofOrganization = `metadata[organization_id]=${organization.id}`;
  expect(forms[0]).toContain(ofOrganization);
  expect(forms[0]).toContain('metadata[stars]=1500');
  expect(forms[2]).toContain(`subscription_data[${ofOrganization.replace('[', '][')}`);
  expect(forms[2]).toContain('line_items[0][price]=price_of_the_guide');
  const { body } = await organization.get('/billing/plans');
  const plan = body.items.find((one: { tier: string }) => one.tier === tier);
  expect(plan).toMatchObject({
    monthly_grant_stars: 300,
    stripe_prices: ['price_of_the_guide'],
    trial_stars: 50,
  });
});

test('the script for a sandbox asks what it says, and makes plans of its prices', async () => {
  const organization = await provision();
  const { origin, forms, ids } = await standIn();
  const file = join(root, 'docs/examples/stripe-clock.sh');
  const said = await runAgainst(origin, `sh "${file}"`, organization.id);
  expect(said.match(/^\{.*"available_stars":0.*\}$/gm)).toHaveLength(5);
  const { body } = await organization.get('/billing/plans');
  const sold = body.items.flatMap((one: { stripe_prices: string[] }) => one.stripe_prices);
  expect(sold).toEqual(expect.arrayContaining(ids.slice(0, 2)));
  const made = forms.map((form) => form.split(' ').slice(0, 2).join(' '));
  expect(made.filter((one) => one.startsWith('POST test_helpers/'))).toHaveLength(3);
  const subscribe = forms.find((form) => form.startsWith('POST subscriptions '));
  expect(subscribe).toContain(`metadata[organization_id]=${organization.id}`);
  expect(forms.at(-1)).toContain('prorate=true&invoice_now=true');
});

test('the script refuses a key of live mode', async () => {
  const file = join(root, 'docs/examples/stripe-clock.sh');
  const live = `STRIPE_SECRET_KEY=sk_live_1 sh "${file}"`;
  await expect(runAgainst('http://127.0.0.1:1', live, 'a')).rejects.toThrow('no key of a sandbox');
});

test.each([
  ['docs/stripe.md', 'PLATFORM_KEY', /key create --role platform/],
  ['docs/stars.md', 'PLATFORM_KEY', /key create --role platform/],
  ['docs/clock.md', 'PLATFORM_KEY', /key create --role platform/],
  ['docs/machines.md', 'KEY', /BASE_URL\/keys/],
])('%s sets %s as all pages do', (file, name, source) => {
  const text = readFileSync(join(root, file), 'utf8');
  const set = text.split('\n').filter((line) => line.trim().startsWith(`${name}=`));
  expect(set).toEqual([expect.stringMatching(source)]);
  const other = name === 'KEY' ? 'PLATFORM_KEY' : 'KEY';
  expect(text).not.toMatch(new RegExp(`\\$${other}\\b`));
});

test('it names each type of event that means something, but one that says nothing more', () => {
  const [, list = ''] = /The events:\n(.*?)Then/s.exec(page) ?? [];
  const named = [...list.matchAll(/`([\w.]+)`/g)].map(([, type]) => type!);
  expect([...named, 'charge.refund.updated'].sort()).toEqual(stripeEventTypes.toSorted());
});
