import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startScript } from '../support/command-line.ts';
import { cutOff } from '../support/cut-off.ts';
import { eventually } from '../support/eventually.ts';
import { feedStart, feedUntil } from '../support/feed.ts';
import { provision } from '../support/organization.ts';

const { baseUrl } = inject('service');
const script = join(import.meta.dirname, '../../tools/webhooks/main.ts');

/** The command line in a directory of its own, where the file `ready.json` has the service of the tests. */
const listening = async (
  organization: Awaited<ReturnType<typeof provision>>,
  args: readonly string[],
) => {
  const cwd = await mkdtemp(join(tmpdir(), 'leads-and-stars-webhooks-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const { id, tokens, users, pipelineId } = organization;
  const own = { organization_id: id, pipeline_id: pipelineId, users, tokens };
  const ready = { base_url: baseUrl, organizations: [own] };
  writeFileSync(join(cwd, 'ready.json'), JSON.stringify(ready));
  const started = startScript(script, args, { cwd });
  onTestFinished(() => void started.process.kill('SIGKILL'));
  return started;
};

const listen = ['listen', '--ready-file', 'ready.json'];

test('what is delivered is printed, until it is stopped, which deletes the webhook', async () => {
  const organization = await provision();
  // Before these changes, the feed has what made the organization and its webhook.
  const start = (await feedStart(organization)) + 1;
  const types = ['--type', 'lead.created', 'lead.deleted'];
  const { process: child, said, ended } = await listening(organization, [...listen, ...types]);
  await eventually(
    () => said.stderr,
    (text) => text.includes('Listening on'),
  );
  const [webhook] = (await organization.get('/webhooks')).body.items;
  expect(webhook).toMatchObject({ types: ['lead.created', 'lead.deleted'] });
  await feedUntil(organization, ({ sequence }) => sequence === start);
  const { id } = await organization.lead();
  await organization.patch(`/leads/${id}`, { stage: 'won' });
  await organization.delete(`/leads/${id}`);
  const printed = await eventually(
    () => said.stdout.trim().split('\n'),
    (lines) => lines.length === 2,
  );
  expect(printed[0]).toMatch(
    new RegExp(`^\\d\\d:\\d\\d:\\d\\d lead\\.created #${start + 1} ${id} \\S+$`),
  );
  expect(printed[1]).toContain(` lead.deleted #${start + 3} `);
  // What somebody else sends is told apart, also what breaks off.
  await cutOff(Number(new URL(webhook.url).port));
  const forged = await fetch(webhook.url, { method: 'POST', body: '{"type":"lead.created"}' });
  expect(forged.status).toBe(401);
  // What was printed was taken.
  await eventually(
    async () => (await organization.get(`/webhooks/${webhook.id}`)).body,
    ({ checkpoint, waiting }) => checkpoint === start + 3 && waiting === 0,
  );
  child.kill('SIGINT');
  expect((await ended).code).toBe(0);
  expect((await organization.get('/webhooks')).body.items).toEqual([]);
});

test('a message that is printed whole gives the terminal no orders, and is the same JSON', async () => {
  const organization = await provision();
  const { said } = await listening(organization, [...listen, '--json', '--type', 'lead.created']);
  await eventually(
    () => said.stderr,
    (text) => text.includes('Listening on'),
  );
  const contact_name = 'a\u001b[2J\u009b2J\u007fb';
  await organization.lead({ contact_name });
  const line = await eventually(
    () => said.stdout,
    (text) => text.endsWith('\n'),
  );
  expect(line).not.toMatch(/[^\P{Cc}\n]/u);
  expect(JSON.parse(line).changes).toContainEqual({
    field: 'contact_name',
    from: null,
    to: contact_name,
  });
});

const stranger = await provision();

const refused: [string[], string][] = [
  [[...listen, '--after', '7000'], 'after must be at most '],
  [
    ['listen', '--after', 'abc'],
    "'--after <sequence>' argument 'abc' is invalid. It must be a whole",
  ],
  [['listen', '--listen-port', '65536'], 'It must be a whole number from 0 to 65535.'],
  [['listen', '--port', '0'], 'It must be a whole number from 1 to 65535.'],
  [['listen'], 'No service runs here: start one with npm run dev.'],
  [['listen', '--port', '3001'], 'No service runs here at port 3001'],
  [['listen', '--ready-file', 'gone.json'], 'There is no gone.json'],
  [['lisen'], 'unknown command'],
];

const isRefused = async (args: string[], message: string) => {
  const { code, stderr } = await (await listening(stranger, args)).ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  expect(stderr).not.toMatch(/ {4}at |outputHelp/);
};
test.each(refused.slice(0, 2))('%j is refused in words', isRefused);
test.each(refused.slice(2))('%j is refused in words', { tags: ['long'] }, isRefused);
