import { randomUUID } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { expect, onTestFinished, test } from 'vitest';
import { feedStart, feedUntil } from '../../support/feed.ts';
import { provision } from '../../support/organization.ts';
import { sign } from '../../support/tokens.ts';
import { Leads } from './leads.ts';

/** An organization in which someone with a name gives another one two roles, and makes a lead between. */
const settingOf = async () => {
  const organization = await provision();
  const start = await feedStart(organization);
  const [ana, other] = [randomUUID(), randomUUID()];
  await organization.put(`/members/${ana}`, { role: 'owner', name: 'Ana Souza' });
  const headers = { authorization: `Bearer ${await sign({ sub: ana })}` };
  const put = (role: string) => organization.put(`/members/${other}`, { role }, { headers });
  const first = await put('agent');
  await organization.lead({}, { headers });
  const last = await put('viewer');
  const feed = await feedUntil(organization, ({ sequence }) => sequence === start + 4);
  const leads = await Leads.of(organization);
  onTestFinished(() => leads.close());
  await leads.setToken(organization.tokens.owner);
  const requestIds = [first, last].map((answer) => answer.headers.get('x-request-id'));
  return { organization, leads, ana, other, feed, requestIds };
};

const rowsOf = (csv: string): Record<string, string>[] => parse(csv, { columns: true, bom: true });

test('an audit tells who changed what, by which request, as a table', async () => {
  const { leads, ana, other, requestIds } = await settingOf();
  const types = ['--type', 'member.added', 'member.updated'];
  const { code, stdout } = await leads.start(['audit', '--from', '2026-01-01', ...types]).ended;
  expect([code, stdout[0]]).toEqual([0, '\ufeff']);
  const rows = rowsOf(stdout).filter(({ of }) => of === other);
  expect(rows).toMatchObject([
    { user_id: ana, user_name: 'Ana Souza', type: 'member.added', request_id: requestIds[0] },
    { user_id: ana, user_name: 'Ana Souza', type: 'member.updated', request_id: requestIds[1] },
  ]);
  expect(rows.map(({ what }) => JSON.parse(what!))).toEqual([
    { role: 'agent', changed: ['role'] },
    { role: 'viewer', changed: ['role'] },
  ]);
});

// Which changes are of a time, to the millisecond: test/unit/changes/feed-times.test.ts.
test('an audit has what was changed between two times, and as JSON all of it', async () => {
  const { leads, feed } = await settingOf();
  const [first, hour] = [Date.parse(feed[0]!.at), 60 * 60 * 1000];
  const between = async (from: number, to: number) => {
    const [start, end] = [from, to].map((time) => new Date(time).toISOString());
    const times = ['--from', start!, '--to', end!, '--format', 'ndjson'];
    return (await leads.run('audit', ...times)).stdout;
  };
  const lines = (await between(first, Date.now() + hour)).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(feed);
  expect(await between(first - hour, first)).toBe('');
});

test('an audit tells of a note which lead it is of', async () => {
  const { organization, leads } = await settingOf();
  const lead = await organization.lead();
  const { body: note } = await organization.post(`/leads/${lead.id}/notes`, { text: 'Call' });
  await feedUntil(organization, ({ type }) => type === 'note.created');
  const { stdout } = await leads.run('audit', '--from', '2026-01-01', '--type', 'note.created');
  const [row] = rowsOf(stdout);
  expect([row?.of, JSON.parse(row!.what!)]).toEqual([note.id, { lead_id: lead.id, text: 'Call' }]);
});

test('a time that may be two is refused, and so is an end before the beginning', async () => {
  const { leads } = await settingOf();
  for (const from of ['05/11/2026', '1', '2026', '2026-02-30', '2026-11-20T09:00', ' 2026-11-20']) {
    const { code, stdout, stderr } = await leads.run('audit', '--from', from);
    expect([from, code, stdout, stderr]).toEqual([from, 1, '', expect.stringMatching(/ISO 8601/)]);
  }
  const ended = await leads.run('audit', '--from', '2026-11-20', '--to', '2026-11-19');
  expect([ended.code, ended.stderr.trim()]).toEqual([1, '--to must not be before --from.']);
  const [day, time] = ['2026-01-01', '2026-01-01T03:00:00.5+03:00'];
  const same = await leads.run('audit', '--from', day, '--to', time);
  expect([same.code, rowsOf(same.stdout)]).toEqual([0, []]);
  const plain = await leads.run('audit', '--from', day, '--to', time, '--no-bom');
  expect(plain.stdout).toMatch(/^at,/);
});

test('a time that is none, or a role that may not read changes, is told in one line', async () => {
  const { leads } = await settingOf();
  const wrong = await leads.run('audit', '--from', 'last week');
  expect([wrong.code, wrong.stdout]).toEqual([1, expect.not.stringContaining('\n202')]);
  expect(wrong.stderr.trim()).toMatch(
    /^--from must be a time in ISO 8601, such as 2026-11-20 or .*\.$/,
  );
  await leads.setToken(await sign({ sub: randomUUID() }));
  const refused = await leads.run('audit', '--from', '2026-11-20');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^forbidden/)]);
});
