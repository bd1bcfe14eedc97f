import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { tools } from '../../../functions/agents/answer-agent.ts';
import { agentWith } from '../../support/agent.ts';
import { openingWallet } from '../../support/billing.ts';
import { given } from '../../support/command-line.ts';
import { provision } from '../../support/organization.ts';

// What docs/agents.md has to copy, beside the running service.

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/agents.md'), 'utf8');
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '';

test('from a key with a spender to the first lead and the first spend of an agent', async () => {
  const organization = await provision(openingWallet(0, 100));
  const env = {
    ...given,
    BASE_URL: inject('service').baseUrl,
    TOKEN: organization.tokens.owner,
    ORGANIZATION: organization.id,
    PIPELINE: organization.pipelineId,
  };
  const run = (command: string, ...args: string[]) =>
    promisify(execFile)(command, args, { cwd: root, env: { ...env, KEY: key } });
  let key = '';
  const made = await run('sh', '-ec', `${blockOf('sh')}printf '\n%s' "$KEY"`);
  key = made.stdout.split('\n').at(-1)!;
  const example = join(root, 'docs/examples/agent.mjs');
  expect((await run(process.execPath, example)).stdout).toBe('created 2\n');
  expect(await organization.readAll('/leads')).toMatchObject([{ contact_name: 'Ana Souza' }]);
  const [entry] = (await organization.get('/billing/history?limit=1')).body.items;
  expect(entry).toMatchObject({ type: 'stars.spent', stars: -2, spender: 'agent-7' });
  expect((await run(process.execPath, example)).stdout).toBe('unchanged 2\n');
  const { use } = await agentWith(key);
  const over = await use('spend_stars', { job: 'more', stars: 19 });
  expect([over.isError, over.content.error.code]).toEqual([true, 'spend_limit_reached']);
  expect((await use('whoami')).content.limit).toMatchObject({ stars: 20, left_stars: 18 });
  expect((await use('spend_stars', { job: 'more', stars: 18 })).isError).toBe(false);
});

test('the page names each tool', () => {
  const [listed = ''] = /^- \*\*Tools\*\*.*$/m.exec(page) ?? [];
  expect(tools.filter(({ name }) => !listed.includes(`\`${name}\``))).toEqual([]);
});
