import { expect, test } from 'vitest';
import { isRefused } from '../../support/again.ts';
import { call } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';

// Each rule is in test/unit/handlers/http/middlewares/json-body.test.ts. Here some bodies that no honest client sends go
// through the front door: `call` holds every answer against what its operation declares.

test.each([
  ['a lead', '/leads', (lead: string) => lead],
  ['a lead of a batch', '/leads/batch', (lead: string) => `{"leads":[${lead}]}`],
])(
  'bodies that are no JSON as %s are refused, nothing is written, and the next is taken',
  async (_what, path, inBody) => {
    const organization = await provision();
    const headers = { ...organization.headers(), 'content-type': 'application/json' };
    const send = (body: string | Uint8Array<ArrayBuffer>) => call('POST', path, { headers, body });
    const named = (name: string) =>
      inBody(`{"contact_name":${name},"pipeline_id":"${organization.pipelineId}"}`);
    const good = named('"Ana"');
    for (const body of [
      '',
      good.slice(0, good.length / 2),
      `\ufeff${good}`,
      `${good}\n${good}`,
      '['.repeat(100_000),
      Uint8Array.from([...Buffer.from(good), 0xff]),
      named('1e999'),
      named('"a\\ud800"'),
      named('"Ana","__proto__":{"polluted":1}'),
      named('"Ana","contact_name":"Ana"'),
    ]) {
      const answer = await send(body);
      const shown = `${body.slice(0, 200)} ${answer.text.slice(0, 500)}`;
      expect([isRefused(answer), shown]).toEqual([true, shown]);
      // However long the input, what is said about it is short.
      expect(answer.text.length).toBeLessThan(10_000);
    }
    expect(await organization.readAll('/leads')).toEqual([]);
    const { body } = await send(good);
    expect((body.items?.[0].lead ?? body).contact_name).toBe('Ana');
  },
);
