import { beforeAll, describe, expect, test } from 'vitest';
import { isRefused } from '../../support/again.ts';
import { call } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { some } from '../../support/some.ts';

// Bodies that no honest client sends. None is answered with a 5xx, and after all of them nothing is written and the
// next request is answered as ever. `call` holds every answer against what its operation declares. One way in reads all
// bodies: a lead alone and one in a batch stand for all. Each rule is in test/unit/handlers/http/body.test.ts.

let organization: Organization;
beforeAll(async () => {
  organization = await provision();
});

type Body = string | Uint8Array<ArrayBuffer>;

const pipelineId = () => `"pipeline_id":"${organization.pipelineId}"`;
const good = () => `{"contact_name":"Ana",${pipelineId()}}`;
const named = (value: string) => `{"contact_name":${value},${pipelineId()}}`;
const withMember = (member: string) => `{${member},"contact_name":"Ana",${pipelineId()}}`;

/** Of leads, by what is wrong with each. */
const leads: Record<string, () => string[]> = {
  'what is no JSON, or no object': () => [
    '',
    good().slice(0, good().length / 2),
    `${good().slice(0, -1)},}`,
    good().replaceAll('"', "'"),
    `[${good()}]`,
    JSON.stringify(good()),
    `\u00a0${good()}`,
    `${good()}\0`,
    'null',
    'contact_name=x',
    '['.repeat(100_000),
    [...good()].join('\0'),
  ],
  'a value that no JSON has, or that would be another one': () =>
    [
      'NaN',
      '01',
      '1e999',
      '9'.repeat(400),
      '"a\u0001b"',
      '"\\x41"',
      '"a\\ud800"',
      '"\\udc00a"',
    ].map(named),
  'a name that is none, is there twice, or would change a prototype': () =>
    [
      '"__proto__":{"polluted":1}',
      '"constructor":{"prototype":{"polluted":1}}',
      '"\\u005f_proto__":{"polluted":1}',
      '"toString":1',
      '"\\ud800":1',
      '"":1',
      '"contact_name":"Ana"',
    ].map(withMember),
};

/** No text at all. */
const wrongBytes = [
  [0xff],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf0, 0x9f],
];

describe.each([
  ['a lead', '/leads', (lead: string) => lead],
  ['a lead of a batch', '/leads/batch', (lead: string) => `{"leads":[${lead}]}`],
])('as %s', (what, path, inBody) => {
  const send = (body: Body) =>
    call('POST', path, {
      headers: { ...organization.headers(), 'content-type': 'application/json' },
      body,
    });

  const expectRefused = async (body: Body) => {
    const answer = await send(body);
    const shown = `${typeof body === 'string' ? body.slice(0, 200) : body.length} ${answer.text.slice(0, 500)}`;
    expect([isRefused(answer), shown]).toEqual([true, shown]);
    // However long the input, what is said about it is short.
    expect(answer.text.length).toBeLessThan(10_000);
  };

  // In `npm test`, some by chance.
  test.each(Object.entries(leads))('%s is refused', async (kind, make) => {
    for (const lead of some(make(), 4, `${what} ${kind}`)) await expectRefused(inBody(lead));
  });

  test('more than one text, a byte order mark, and bytes that are not UTF-8 are refused', async () => {
    const body = inBody(good());
    for (const wrong of [`${body}\n${body}`, `\ufeff${body}`]) await expectRefused(wrong);
    const [head = '', tail = ''] = body.split('Ana');
    for (const bytes of some(wrongBytes, 2, `${what} bytes`)) {
      await expectRefused(Uint8Array.from([...Buffer.from(head), ...bytes, ...Buffer.from(tail)]));
    }
  });

  // After all of the above. A good body is checked for names that are not known: it would show a polluted prototype.
  test('nothing of what was refused is written, and the next request is answered as ever', async () => {
    expect(await organization.readAll('/leads')).toEqual([]);
    const answer = await send(inBody(good()));
    const { id } = answer.body.items?.[0].lead ?? answer.body;
    expect((await organization.delete(`/leads/${id}`)).status).toBe(204);
  });
});
