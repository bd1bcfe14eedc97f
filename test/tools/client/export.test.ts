import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { provision } from '../../support/organization.ts';
import { sign } from '../../support/tokens.ts';
import { writtenOf } from '../../support/written.ts';
import { Leads } from './leads.ts';

test('without a file, or with `-`, it goes to standard output; one that fails leaves what was there', async () => {
  const organization = await provision();
  const leads = await Leads.of(organization);
  onTestFinished(() => leads.close());
  await organization.lead();
  const [unnamed, dash] = await Promise.all([
    leads.start(['export']).ended,
    leads.run('export', '-'),
  ]);
  expect(unnamed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\ufeffid,.*\n[^\n]+\n$/),
  });
  expect(dash).toEqual(unnamed);
  expect(existsSync(leads.path('-'))).toBe(false);

  const nowhere = await leads.run('export', leads.path('no/such/leads.csv'));
  expect([nowhere.code, nowhere.stdout]).toEqual([1, '']);
  expect(nowhere.stderr.trim()).toBe(`There is no folder ${leads.path('no/such')}.`);

  const file = await leads.file('leads.csv', 'of yesterday');
  await leads.setToken(await sign({ sub: randomUUID() }));
  const kept = await leads.run('export', file);
  expect([kept.code, kept.stderr]).toEqual([
    1,
    `${file} is there already, and is kept. Name another file, or say --force.\n`,
  ]);
  const refused = await leads.run('export', file, '--force');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^forbidden/)]);
  expect(await leads.read('leads.csv')).toBe('of yesterday');
  expect(readdirSync(leads.path('.')).filter((name) => name.endsWith('.new'))).toEqual([]);
  await leads.setToken(organization.tokens.agent);
  expect((await leads.run('export', file, '--force')).stdout).toBe('1 leads\n');
  expect(await leads.read('leads.csv')).toMatch(/^\ufeffid,/);
});

test('an export opens in a spreadsheet with its accents, and imported again it writes nothing', async () => {
  const organization = await provision();
  const leads = await Leads.of(organization);
  onTestFinished(() => leads.close());
  const options = ['Red, dark', 'Blue; light', '=x'];
  for (const field of [
    { key: 'note', type: 'text' },
    { key: 'age', type: 'number' },
    { key: 'vip', type: 'boolean' },
    { key: 'born', type: 'date' },
    { key: 'seen', type: 'datetime' },
    { key: 'site', type: 'url' },
    { key: 'color', type: 'select', options },
    { key: 'colors', type: 'multi_select', options },
  ]) {
    await organization.post('/fields', { label: 'Field', ...field });
  }
  const texts = [
    '007',
    ' João  da Conceição ',
    'two\r\nlines\n',
    '=1+1',
    "'quoted",
    '-',
    '+55 11',
    'a;b,"c"',
    '\ttab',
    '05/06/2024',
    '👍',
    '1e5',
  ];
  const made = await Promise.all(
    texts.map((text, i) =>
      organization.lead({
        external_id: `${text}${i}`,
        contact_name: text,
        company_name: text,
        email: `Row-${i}@Example.com`,
        // Nobody has such a number, and libphonenumber knows none.
        phone: ['+5511988887777', '+1234567', '+999999999999999'][i % 3],
        tags: [`a;${i}`, 'b,c', '=d', '["e"]', 'x'],
        value_cents: i,
        next_step_at: '2026-12-01T13:00:00.123Z',
        next_step: text,
        owner_id: organization.users.agent,
        fields: {
          note: text,
          age: [-0.5, 1e-6, 1e15][i % 3],
          vip: i % 2 === 0,
          born: '0999-01-02',
          seen: '2024-03-12T09:14:45.123Z',
          site: 'https://example.com/?a=b',
          color: options[i % 3],
          colors: options,
        },
      }),
    ),
  );
  await organization.patch(`/leads/${made[0].id}`, { stage: 'won' });
  const file = leads.path('all.csv');
  expect((await leads.run('export', file)).stdout).toBe(`${texts.length} leads\n`);
  expect(await leads.read('all.csv')).toMatch(/^\ufeffid,external_id,/);
  /** Leads with their versions, and the keys of their histories. */
  const stored = async () =>
    (await writtenOf(organization.id)).flatMap(({ pk, sk, ...item }) => {
      if (String(pk).startsWith('LEADS#')) return [JSON.stringify({ pk, sk, ...item })];
      return String(pk).startsWith('HISTORY#') ? [`${pk} ${sk}`] : [];
    });
  const before = await stored();
  expect(before).toHaveLength(2 * texts.length + 1);
  for (const more of [[], ['--country', 'BR']]) {
    const again = await leads.run('import', file, '--match', 'external_id', ...more);
    expect(again.stdout).toBe(
      `${texts.length} rows, 0 created, 0 updated, ${texts.length} unchanged, 0 refused\n`,
    );
  }
  expect((await stored()).sort()).toEqual(before.sort());
  // Without the mark, as programs take it, and what a spreadsheet makes of it are no other leads.
  await leads.run('export', leads.path('plain.csv'), '--no-bom');
  const plain = await leads.read('plain.csv');
  expect(`\ufeff${plain}`).toBe(await leads.read('all.csv'));
  const ndjson = await leads.run('export', '--format', 'ndjson');
  expect(ndjson.stdout).toMatch(/^\{/);
});

test('of the leads that match, in the order that is asked for; a page is asked for like the first', async () => {
  const organization = await provision();
  const leads = await Leads.of(organization);
  onTestFinished(() => leads.close());
  const all = Array.from({ length: 201 }, (_, i) => ({
    contact_name: `${i}`,
    pipeline_id: organization.pipelineId,
    value_cents: (i * 7919) % 201,
    tags: ['a'],
  }));
  for (let i = 0; i < all.length; i += 100) {
    await organization.post('/leads/batch', { leads: all.slice(i, i + 100) });
  }
  const won = await organization.lead({ value_cents: 300, tags: ['a'] });
  await organization.patch(`/leads/${won.id}`, { stage: 'won' });
  await organization.lead({ value_cents: 400 });
  const namesOf = async (...args: string[]) => {
    const { stdout } = await leads.run('export', '--format', 'ndjson', ...args);
    return stdout.split('\n').flatMap((line) => (line ? JSON.parse(line).contact_name : []));
  };
  const biggest = all.toSorted((a, b) => b.value_cents - a.value_cents);
  const open = ['--sort', '-value_cents', '--outcome', 'open', '--value-to', '400', '--tag', 'a'];
  expect(await namesOf(...open)).toEqual(biggest.map(({ contact_name }) => contact_name));
  const wrong = await leads.run('export', '--updated-from', 'yesterday');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('updated_from')]);
});
