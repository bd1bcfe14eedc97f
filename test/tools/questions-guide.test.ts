import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { given } from '../support/command-line.ts';
import { feedUntil } from '../support/feed.ts';
import { type Organization, provision } from '../support/organization.ts';

// What docs/questions.md has to copy, beside the running service.

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/questions.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
/** A lead can't be left alone for 30 days here, but since a moment ago. */
const script = blocks
  .join('\n')
  .replace('updated_to=$(days -30)', 'updated_to=$LATER')
  .replace('stage_entered_to=$(days 0)', 'stage_entered_to=$LATER');

/** The commands of each question. */
const questions = blocks.flatMap((block) =>
  block
    .split(/^# /m)
    .slice(1)
    .map((text) => ({ text, calls: text.match(/^(ask|LEADS_TOKEN)/gm)?.length })),
);

const run = async (organization: Organization, variables: Record<string, string>) => {
  const env = {
    ...given,
    BASE_URL: inject('service').baseUrl,
    TOKEN: organization.tokens.owner,
    ORGANIZATION: organization.id,
    COLLEAGUE: organization.users.agent,
    ...variables,
  };
  const { stdout } = await promisify(execFile)('sh', ['-ec', script], { cwd: root, env });
  return stdout.trim();
};

test('each question takes one command, and that is one call unless it says more', () => {
  expect(questions.length).toBe(23);
  for (const { text, calls } of questions) expect([text, calls]).toEqual([text, 1]);
  const several = questions.filter(({ text }) => !/^ask /m.test(text)).map(({ text }) => text);
  expect(several).toEqual([expect.stringContaining('in several calls')]);
});

test('each question of a sales team has one answer', async () => {
  expect(script.match(/LATER/g)?.length).toBe(2);
  const stages = ['open', 'won', 'lost'].map((outcome) => ({ name: outcome, outcome }));
  const organization = await provision({ pipelines: [{ name: 'Sales', stages }] });
  await organization.post('/fields', {
    key: 'source',
    label: 'Source',
    type: 'text',
    filterable: true,
  });
  const { owner, agent } = organization.users;
  const later = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const add = async (contact_name: string, { stage, ...fields }: Record<string, unknown>) => {
    const lead = await organization.lead({ contact_name, ...fields });
    if (stage) await organization.patch(`/leads/${lead.id}`, { stage });
    return lead;
  };
  const ofAgent = { owner_id: agent, next_step_at: later(-2) };
  const older = await add('Older', { value_cents: 100, phone: '+5511987654321', ...ofAgent });
  await add('Big', { value_cents: 900, owner_id: owner, next_step_at: later(20) });
  await add('Small', { value_cents: 5, owner_id: owner, next_step_at: later(2) });
  await add('Later', { owner_id: owner, next_step_at: later(30), email: 'later@example.com' });
  await add('Ana', { company_name: 'Bakery' });
  await add('Won', { stage: 'won', fields: { source: 'referral' } });
  await organization.patch(`/leads/${older.id}`, { next_step: 'Call' }, { role: 'agent' });
  await add('Older', { stage: 'lost' });
  await feedUntil(
    organization,
    ({ type, user_id }) => type === 'lead.updated' && user_id === agent,
  );
  const text = await run(organization, { LATER: later(1) });
  const lines = text.split('\n');
  const [answers, person] = [lines.slice(0, 22), lines.slice(22).join('\n')];
  const namesOf = (answer = '{}') =>
    JSON.parse(answer).items.map((item: { contact_name?: string }) => item.contact_name);
  expect(answers.slice(0, 18).map(namesOf)).toEqual([
    ['Big', 'Older', 'Small'],
    ['Older', 'Big', 'Small', 'Later', 'Ana'],
    ['Big', 'Small', 'Later', 'Ana', 'Older'],
    ['Small', 'Big'],
    ['Won'],
    ['Older'],
    ['Won'],
    ['Later', 'Small', 'Big'],
    ['Big', 'Small'],
    ['Big', 'Older', 'Small'],
    ['Older', 'Won'],
    ['Ana'],
    ['Ana'],
    ['Older'],
    ['Older', 'Won', 'Ana', 'Small', 'Big'],
    ['Ana', 'Later'],
    ['Older', 'Won', 'Ana', 'Later', 'Small', 'Big', 'Older'],
    ['Ana'],
  ]);
  const [summary, changes, duplicates, history] = answers.slice(18).map((one) => JSON.parse(one));
  const counts = summary.stages.map(({ name, leads }: { name: string; leads: number }) => [
    name,
    leads,
  ]);
  expect(counts).toEqual([
    ['open', 5],
    ['won', 1],
    ['lost', 1],
  ]);
  expect(changes.items).toMatchObject([
    { type: 'lead.updated', user_id: agent, lead_id: older.id, changes: [{ field: 'next_step' }] },
  ]);
  // The newest lead is lost, has an older one's name, and was made by the owner.
  expect(duplicates.items).toMatchObject([{ lead: { id: older.id }, same: ['name'] }]);
  expect(history.items).toMatchObject([
    {
      type: 'lead.updated',
      user_id: owner,
      changes: [{ field: 'stage', from: 'open', to: 'lost' }],
    },
    { type: 'lead.created' },
  ]);
  const { leads, missing } = JSON.parse(person);
  expect([leads.length, missing]).toEqual([1, []]);
  expect(JSON.stringify(leads)).toContain('"contact_name":"Older"');
});
