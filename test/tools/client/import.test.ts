import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { FaultProxy } from '../../support/faults/fault-proxy.ts';
import type { Step } from '../../support/faults/step.ts';
import { expectFindable } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { pick, random, seed } from '../../support/random.ts';
import { sign } from '../../support/tokens.ts';
import { Leads } from './leads.ts';

const setUp = async (input: object = {}): Promise<{ organization: Organization; leads: Leads }> => {
  const organization = await provision(input);
  const leads = await Leads.of(organization);
  onTestFinished(() => leads.close());
  return { organization, leads };
};

const namesIn = async (organization: Organization) =>
  (await organization.readAll('/leads')).map(({ contact_name }) => contact_name).sort();

test('CSV of spreadsheets: a byte order mark, semicolons, quotes, line breaks, tags and empty cells', async () => {
  const { organization, leads } = await setUp();
  // The name of a column is no order to a terminal, and none to the shell that it is pasted into.
  const remark = "\u001b[2J' | ls '";
  const text = [
    `\ufeffContact Name;Company-Name;E-Mail;tags;value_cents;${remark}`,
    '"Silva; Maria";"Padaria ""Pão""";maria@example.com;vip, inbound;125000;x',
    '"João\r\nCosta";;;"[""a;b"",""c""]";;',
    '',
    'Ana;;not an address;;;',
    'Rui;too few',
  ].join('\r\n');
  const file = await leads.file('leads.csv', text);
  const args = ['import', file, '--pipeline', organization.pipelineId];
  const map = ['--map', 'e-mail=email', '--map', `${remark}=`];
  const ended = await leads.run(...args, ...map);
  expect(ended).toMatchObject({ code: 0, stderr: expect.any(String) });
  expect(ended.stdout).toContain('4 rows, 4 created, 0 updated, 0 unchanged, 0 refused');
  const byName = (a: { contact_name: string }, b: typeof a) =>
    a.contact_name < b.contact_name ? -1 : 1;
  expect((await organization.readAll('/leads')).sort(byName)).toMatchObject(
    [
      { contact_name: 'Ana', email: null },
      { contact_name: 'Rui', company_name: 'too few' },
      { contact_name: 'João\r\nCosta', company_name: null, tags: ['a;b', 'c'], value_cents: null },
      {
        contact_name: 'Silva; Maria',
        company_name: 'Padaria "Pão"',
        email: 'maria@example.com',
        tags: ['vip', 'inbound'],
        value_cents: 125_000,
      },
    ].sort(byName),
  );
  expect((await leads.read('leads.csv.report.csv')).trim().split('\n')).toEqual([
    'line,code,field,message',
    '6,left_out,email,“not an address” is no email address',
  ]);
  // An unknown column is asked about before anything is sent.
  const unknown = await leads.run(...args);
  expect([unknown.code, unknown.stdout]).toEqual([1, '']);
  expect(unknown.stderr).toMatch(/“E-Mail” is no field of a lead/);
  expect(unknown.stderr).toContain("--map '\\u001b[2J'\\'' | ls '\\''='.");
  expect(unknown.stderr).not.toContain('\u001b');
});

test('NDJSON, also from standard input, matches, and clears what is null', async () => {
  const { organization, leads } = await setUp();
  const { pipelineId: pipeline_id } = organization;
  await organization.lead({ external_id: 'a', company_name: 'Cedro', value_cents: 1 });
  const rows = [
    { external_id: 'a', company_name: null, value_cents: 2 },
    { external_id: 'b', contact_name: 'Rui', pipeline_id, stage: 'won', id: 'not mine' },
    { external_id: 'b', value_cents: 3 },
    { external_id: 'c', contact_name: 'Ana', unknown: 1 },
  ];
  const text = `${rows.map((row) => JSON.stringify(row)).join('\n')}\nnonsense\n[]`;
  const { ended } = leads.start(['import', '-', '--match', 'external_id'], text);
  expect((await ended).stdout).toContain('6 rows, 1 created, 1 updated, 0 unchanged, 4 refused');
  const report = await leads.read('import.report.csv');
  expect(report).toContain('3,duplicate_row,external_id,"“b” is the external_id of line 2, too');
  expect(report).toContain('4,invalid_request,unknown,is not known here');
  expect(report).toContain('5,invalid_row,,The row is not JSON.');
  expect(await organization.readAll('/leads')).toMatchObject([
    { external_id: 'b', stage: 'won', value_cents: null },
    { external_id: 'a', company_name: null, value_cents: 2 },
  ]);
});

test('a dry run names the rows that an import refuses, and stores nothing', async () => {
  const { organization, leads } = await setUp();
  await organization.lead({ email: 'taken@example.com', external_id: 'there' });
  const rows = [
    'external_id,contact_name,email,pipeline_id',
    `1,Ana,a@example.com,${organization.pipelineId}`,
    `2,Ana,A@example.com,${organization.pipelineId}`,
    `3,Ana,taken@example.com,${organization.pipelineId}`,
    `1,Ana,b@example.com,${organization.pipelineId}`,
    `there,Ana,,${organization.pipelineId}`,
    `5,,,${organization.pipelineId}`,
    `6,Ana,,${organization.id}`,
    `7,Ana,,${organization.pipelineId}`,
  ];
  const file = await leads.file('leads.csv', `${rows.join('\n')}\n`);
  const lines = async () =>
    (await leads.read('leads.csv.report.csv'))
      .trim()
      .split('\n')
      .map((line) => line.split(',').slice(0, 3).join());
  const before = await organization.readAll('/leads');
  const dry = await leads.run('import', file, '--dry-run');
  expect(dry.stdout).toContain('nothing was stored');
  const foretold = await lines();
  expect(foretold.length).toBeGreaterThan(3);
  expect(await organization.readAll('/leads')).toEqual(before);
  expect((await leads.run('import', file)).code).toBe(0);
  expect(await lines()).toEqual(foretold);
});

test('an export is what an import takes, custom fields of each type too', {
  tags: ['long'],
}, async () => {
  const { organization, leads } = await setUp();
  const options = ['red; green', 'blue'];
  for (const field of [
    { key: 'age', type: 'number' },
    { key: 'vip', type: 'boolean' },
    { key: 'colors', type: 'multi_select', options },
    { key: 'city', type: 'text' },
  ]) {
    await organization.post('/fields', { label: 'Field', ...field });
  }
  await organization.lead({
    external_id: 'a',
    company_name: 'Cedro, "Filhos"\n& Cia',
    email: 'a@example.com',
    phone: '+5511987654321',
    tags: ['a;b', 'c,d', '["x'],
    value_cents: 7,
    next_step_at: '2026-12-01T13:00:00.000Z',
    next_step: '=call',
    owner_id: organization.users.agent,
    fields: { age: 7.5, vip: true, colors: options, city: '12' },
  });
  const other = await organization.lead({
    external_id: 'b',
    tags: ['-x', 'y'],
    contact_name: '=1+1',
    company_name: "'@x",
  });
  await organization.patch(`/leads/${other.id}`, { stage: 'won' });
  for (const format of ['csv', 'ndjson']) {
    const before = await organization.readAll('/leads');
    const file = leads.path(`leads.${format}`);
    expect((await leads.run('export', file, '--format', format)).stdout).toBe('2 leads\n');
    const text = await leads.read(`leads.${format}`);
    expect(/[,"][=@-]/.test(text)).toBe(format === 'ndjson');
    expect(text).toContain('+5511987654321');
    const again = await leads.run('import', file, '--match', 'external_id');
    expect(again.stdout).toContain('2 rows, 0 created, 0 updated, 2 unchanged, 0 refused');
    for (const { id } of before) await organization.delete(`/leads/${id}`);
    const unmatched = await leads.run('import', file);
    expect([unmatched.code, unmatched.stdout]).toEqual([1, '']);
    expect(unmatched.stderr).toMatch(/^Line \d has a stage, which needs --match/);
    const anew = await leads.run('import', file, '--match', 'external_id');
    expect(anew.stdout).toContain('2 created');
    const stored = await organization.readAll('/leads');
    const contents = (all: Record<string, string>[]) =>
      all.map(({ id, stage_entered_at, created_at, updated_at, ...content }) =>
        JSON.stringify(content),
      );
    expect(contents(stored).sort()).toEqual(contents(before).sort());
  }
});

const rows = Number(process.env.ROWS ?? 600);

test(`killed five times at random moments, once while its token ends, and started again: each row once, the report as of one that was not (SEED=${seed})`, {
  tags: ['long'],
}, async () => {
  const next = random(seed);
  const [killed, whole] = [await setUp(), await setUp()];
  const text = (organization: Organization) =>
    [
      'contact_name,email,pipeline_id',
      ...Array.from({ length: rows }, (_, i) => {
        // Some have what another row has; some are wrong.
        const email = i % 50 === 7 ? `lead-${i - 5}@example.com` : `lead-${i}@example.com`;
        return `Lead ${i},${i % 90 === 3 ? 'wrong' : email},${organization.pipelineId}`;
      }),
    ].join('\n');
  const begin = async ({ organization, leads }: typeof killed) => {
    const file = await leads.file('leads.csv', text(organization));
    return () => leads.start(['import', file]);
  };
  const undisturbed = await (await begin(whole))().ended;
  expect(undisturbed.code).toBe(0);
  const start = await begin(killed);
  const state = killed.leads.path('leads.csv.report.csv.state');
  let last: Awaited<ReturnType<typeof start>['ended']> | undefined;
  // Without its state it is done, also if it was killed after that. Another start would import it all anew.
  const isOpen = () => existsSync(state);
  let kills = 0;
  for (; kills < 5 && (kills === 0 || isOpen()); kills++) {
    if (kills === 2) {
      const expired = Math.floor(Date.now() / 1000) - 60;
      const sub = killed.organization.users.agent;
      await killed.leads.setToken(await sign({ sub, exp: expired, iat: expired - 60 }));
    }
    const { process: child, ended } = start();
    const exited = once(child, 'exit');
    // Once it has begun to send: how long after that is random.
    while (child.exitCode === null && child.signalCode === null && !existsSync(state))
      await wait(5);
    await Promise.race([wait(pick(next, [0, 50, 200, 500, 1500])), exited]);
    child.kill('SIGKILL');
    last = await ended;
    await killed.leads.setToken(killed.organization.tokens.agent);
  }
  expect(kills).toBeGreaterThan(1);
  if (isOpen()) last = await start().ended;
  // It has no code where it was killed after its last step.
  expect([last?.code ?? 0, isOpen()]).toEqual([0, false]);
  expect(await namesIn(killed.organization)).toEqual(await namesIn(whole.organization));
  const report = async ({ leads }: typeof killed) =>
    (await leads.read('leads.csv.report.csv')).replace(/[0-9a-f-]{36}/g, 'id');
  expect(await report(killed)).toEqual(await report(whole));
  expect(last?.stdout.split('\n')[0]).toEqual(undisturbed.stdout.split('\n')[0]);
  await expectFindable(killed.organization);
});

test('it goes on only with the same options, and without --match only of the same user', async () => {
  const { organization, leads } = await setUp();
  const file = await leads.file('leads.csv', `contact_name,external_id\nAna,1\n`);
  /** Told once the row was sent: it gets no answer then. */
  let onSent: (() => void) | undefined;
  const silent: Step = async ({ body }, pass) => {
    const reply = await pass();
    if (!onSent || !body.includes('Ana')) return reply;
    onSent();
    return new Promise(() => {});
  };
  const proxy = await FaultProxy.start(inject('service').baseUrl, [silent]);
  onTestFinished(() => proxy.close());
  const args = ['import', file, '--pipeline', organization.pipelineId];
  args.push('--base-url', proxy.endpoint);
  const state = 'leads.csv.report.csv.state';
  /** Ends an import after it was sent. */
  const interrupt = async (...more: string[]) => {
    const sent = new Promise<void>((resolve) => {
      onSent = resolve;
    });
    const { process: child, ended } = leads.start([...args, ...more]);
    await Promise.race([sent, ended]);
    onSent = undefined;
    child.kill('SIGKILL');
    await ended;
    const [start] = (await leads.read(state)).split('\n');
    await leads.file(state, `${start}\n{"sent":0,"at":${Date.now()}}\n{"done":`);
  };
  const expectOther = async (...more: string[]) => {
    const { code, stderr } = await leads.run(...args, ...more);
    const told = expect.stringMatching(/another file, by another user, or with other/);
    expect([code, stderr]).toEqual([1, told]);
  };
  await interrupt();
  await expectOther('--match', 'external_id');
  // A colleague's keys would be others.
  await leads.setToken(organization.tokens.owner);
  await expectOther();
  await leads.setToken(organization.tokens.agent);
  expect((await leads.run(...args)).code).toBe(0);
  expect(await organization.readAll('/leads')).toHaveLength(1);
  await interrupt('--match', 'external_id');
  await leads.setToken(organization.tokens.owner);
  expect((await leads.run(...args, '--match', 'external_id')).code).toBe(0);
  expect(await organization.readAll('/leads')).toHaveLength(1);
});
