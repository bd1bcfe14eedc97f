// Does what the README begins with.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { runToEnd } from '../../tools/cli/run.ts';
import { whileServing } from './dev.ts';

const { args } = new Command('npm run systems:dev --')
  .description('starts npm run dev, makes a lead, reads it back, and ends the service')
  .argument('[options...]', 'of npm run dev')
  .allowUnknownOption()
  .parse();

await runToEnd(() =>
  whileServing(args, async ({ base_url, organizations: [one] }) => {
    assert(one, 'the demo has an organization');
    const { organization_id, pipeline_id, tokens } = one;
    const call = async (method: string, path: string, sent?: object) => {
      const response = await fetch(`${base_url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${tokens.owner}`,
          'x-organization-id': organization_id,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
        },
        ...(sent && { body: JSON.stringify(sent) }),
      });
      return { status: response.status, body: (await response.json()) as { id: string } };
    };
    const email = `${randomUUID()}@example.com`;
    const lead = { contact_name: 'Maria Silva', pipeline_id, email, tags: ['inbound'] };
    const made = await call('POST', '/leads', lead);
    assert.partialDeepStrictEqual(made, { status: 201, body: lead });
    const read = await call('GET', `/leads/${made.body.id}`);
    assert.deepEqual(read, { status: 200, body: made.body });
    console.log(`Made and read lead ${made.body.id} on ${process.platform} ${process.arch}.`);
  }),
);
