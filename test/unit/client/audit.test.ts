import { expect, test } from 'vitest';
import { type AuditOptions, runAudit } from '../../../packages/client/src/cli/audit.ts';
import { printed, serviceWith } from './support.ts';

// What an audit reads and writes. By a real service: test/tools/client/audit.test.ts.

const common = {
  ...{ event_id: 'e', feed_id: 'f', organization_id: 'o', version: 3, request_id: 'r' },
  ...{ at: '2026-11-20T09:00:00.000Z', user_id: 'u', user_name: 'Ana' },
};
const page = (items: object[], last_sequence = 9, has_more = false) => ({
  ...{ items, last_sequence, has_more, feed_id: 'f' },
});

/** What is written of these pages of changes, and what was asked for. */
const auditing = async (
  { isTerminal, ...options }: Partial<AuditOptions> & { isTerminal?: boolean },
  ...pages: object[]
) => {
  const queries: string[] = [];
  const { where } = serviceWith({
    '/changes': ({ url }) => {
      queries.push(decodeURIComponent(new URL(url).search));
      return pages[queries.length - 1] ?? page([]);
    },
  });
  const given = { from: '2026-11-20', format: 'csv', bom: true, ...where, ...options } as const;
  let error: string | undefined;
  const work = () =>
    runAudit(given).catch(({ message }: Error) => {
      error = message;
    });
  const said = await printed(work, { isTerminal });
  return { said, queries, error };
};

const header = 'at,user_name,user_id,type,of,what,request_id,sequence';

test('each change is a row: of what it is, and what else is known of it', async () => {
  const changes = [
    { ...common, sequence: 1, type: 'lead.updated', lead_id: 'l', changes: { stage: 'won' } },
    { ...common, sequence: 2, type: 'note.created', lead_id: 'l', note_id: 'n' },
    { ...common, sequence: 3, type: 'member.updated', member_id: 'm', changed: ['role'] },
    { ...common, sequence: 4, type: 'wallet.changed', user_id: null, user_name: null },
    { sequence: 5, type: 'hidden' },
  ];
  const two = [page(changes.slice(0, 2), 2, true), page(changes.slice(2))];
  const { said, error } = await auditing({}, ...two);
  expect(error).toBeUndefined();
  const at = common.at;
  expect(said.split('\n')).toEqual([
    `\ufeff${header}`,
    `${at},Ana,u,lead.updated,l,"{""changes"":{""stage"":""won""}}",r,1`,
    `${at},Ana,u,note.created,n,"{""lead_id"":""l""}",r,2`,
    `${at},Ana,u,member.updated,m,"{""changed"":[""role""]}",r,3`,
    `${at},,,wallet.changed,,,r,4`,
    ',,,hidden,,,,5',
    '',
  ]);
  expect((await auditing({ bom: false }, page([]))).said).toBe(`${header}\n`);
  const json = await auditing({ format: 'ndjson' }, page(changes.slice(0, 1)));
  expect(json.said).toBe(`${JSON.stringify(changes[0])}\n`);
});

test.each(['note_id', 'lead_id', 'member_id', 'key_id', 'pipeline_id', 'webhook_id', 'field'])(
  'a change that names %s is of that',
  async (name) => {
    const change = { ...common, sequence: 1, type: 't', [name]: 'x' };
    const { said } = await auditing({ bom: false }, page([change]));
    expect(said.split('\n')[1]).toBe(`${common.at},Ana,u,t,x,,r,1`);
  },
);

test.each<[string, Partial<AuditOptions>, string]>([
  ['a day', { from: '2026-11-20' }, '&from=2026-11-20T00:00:00.000Z'],
  ['a time', { from: '2026-11-20T09:00Z' }, '&from=2026-11-20T09:00:00.000Z'],
  ['an offset', { from: '2026-11-20T09:00:00+02:00' }, '&from=2026-11-20T07:00:00.000Z'],
  ['a part of a second', { from: '2026-11-20T09:00:00.5-03:00' }, '&from=2026-11-20T12:00:00.500Z'],
  [
    'an end, and types',
    { to: '2026-11-21', type: ['member.updated', 'member.added'] },
    '&from=2026-11-20T00:00:00.000Z&to=2026-11-21T00:00:00.000Z&type=member.updated&type=member.added',
  ],
  [
    'an end that is the beginning',
    { to: '2026-11-20' },
    '&from=2026-11-20T00:00:00.000Z&to=2026-11-20T00:00:00.000Z',
  ],
])('only what is of the time is read: %s', async (_, options, query) => {
  const { queries, error } = await auditing(options);
  expect([error, queries]).toEqual([undefined, [`?after=0&limit=200${query}`]]);
});

test.each([
  '20.11.2026',
  '2026-11-31',
  '2026-02-29',
  '2026-11-20T09:00',
  '2026-11-20T25:00Z',
  '2026-11-20 09:00Z',
  '2026-11-20T09:00Zx',
  'x2026-11-20',
  '2026-11',
  '',
])('%j is no time', async (text) => {
  for (const option of ['from', 'to'] as const) {
    const { error, queries, said } = await auditing({ [option]: text });
    expect(error).toBe(
      `--${option} must be a time in ISO 8601, such as 2026-11-20 or 2026-11-20T09:00:00Z.`,
    );
    expect([queries, said]).toEqual([[], '']);
  }
});

test('an end before the beginning is refused', async () => {
  const { error, queries } = await auditing({ to: '2026-11-19T23:59:59.999Z' });
  expect([error, queries]).toEqual(['--to must not be before --from.', []]);
});

test('a terminal gets no orders that a name has', async () => {
  const change = { ...common, sequence: 1, type: 't', user_name: 'a\u001b[2J' };
  expect((await auditing({}, page([change]))).said).toContain('a\u001b[2J');
  for (const format of ['csv', 'ndjson'] as const) {
    const { said } = await auditing({ format, isTerminal: true }, page([change]));
    expect(said).not.toMatch(/[^\P{Cc}\n]/u);
    expect(said).toContain('a\\u001b[2J');
  }
});
