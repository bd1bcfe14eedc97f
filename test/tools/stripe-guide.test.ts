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
import { provision } from '../support/organization.ts';
import { ownDirectory } from './dev/support.ts';

// What docs/stripe.md has to copy. Of Stripe itself, nothing is asked here.

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/stripe.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
const service = inject('service');
const directory = ownDirectory();

test('the event that can be tried without an account gives its stars once', async () => {
  const [first = ''] = blocks;
  const organization = await provision();
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
  const script = first.replace('. .local/env.sh', '').replace('npm run event --', command);
  expect(script).toContain(command);
  const env = {
    ...given,
    BASE_URL: baseUrl,
    TOKEN: organization.tokens.owner,
    ORGANIZATION: organization.id,
  };
  const run = () => promisify(execFile)('sh', ['-ec', script], { env, cwd: directory });
  const { stdout } = await run();
  expect(stdout).toContain('"pack_stars"');
  await eventually(
    () => balanceOf(organization),
    ({ pack_stars }) => pack_stars === 500,
  );
});

test('it names each type of event that means something, but one that says nothing more', () => {
  const [, list = ''] = /and these events:\n(.*?)Then/s.exec(page) ?? [];
  const named = [...list.matchAll(/`([\w.]+)`/g)].map(([, type]) => type!);
  expect([...named, 'charge.refund.updated'].sort()).toEqual(stripeEventTypes.toSorted());
});
