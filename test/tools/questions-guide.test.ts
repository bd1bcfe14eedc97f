import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { given } from '../support/command-line.ts';
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

test('each question of a sales team has one answer', async () => {
  expect(script.match(/LATER/g)?.length).toBe(2);
  const questions = page.match(/^# .*\?/gm)!;
  expect(questions.length).toBe(10);
  const stages = ['open', 'won', 'lost'].map((outcome) => ({ name: outcome, outcome }));
  const organization = await provision({ pipelines: [{ name: 'Sales', stages }] });
  await organization.post('/fields', {
    key: 'source',
    label: 'Source',
    type: 'text',
    filterable: true,
  });
  const { owner, agent } = organization.users;
  const tomorrow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const add = async (contact_name: string, { stage, ...fields }: Record<string, unknown>) => {
    const lead = await organization.lead({ contact_name, ...fields });
    if (stage) await organization.patch(`/leads/${lead.id}`, { stage });
    return lead;
  };
  const older = await add('Older', { value_cents: 100, owner_id: agent });
  await add('Big', { value_cents: 900, owner_id: owner, next_step_at: tomorrow(20) });
  await add('Small', { value_cents: 5, owner_id: owner, next_step_at: tomorrow(2) });
  await add('Later', { owner_id: owner, next_step_at: tomorrow(30) });
  await add('Won', { stage: 'won', fields: { source: 'referral' } });
  await add('Older', { stage: 'lost' });
  const text = await run(organization, { LATER: tomorrow(1) });
  const [answers, person] = [text.split('\n').slice(0, 9), text.split('\n').slice(9).join('\n')];
  const namesOf = (answer = '{}') =>
    JSON.parse(answer).items.map((item: { contact_name?: string }) => item.contact_name);
  const lists = answers.slice(0, 7).map(namesOf);
  expect(lists).toEqual([
    ['Big', 'Older', 'Small'],
    ['Older', 'Big', 'Small', 'Later'],
    ['Older', 'Big', 'Small', 'Later'],
    ['Small', 'Big'],
    ['Won'],
    ['Older'],
    ['Won'],
  ]);
  // The newest lead is lost, has an older one's name, and was made by the owner.
  const [duplicates, history] = answers.slice(7).map((answer) => JSON.parse(answer));
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
