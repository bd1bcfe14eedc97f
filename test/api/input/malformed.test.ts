import { beforeAll, describe, expect, test } from 'vitest';
import { isRefused } from '../../support/again.ts';
import { routed } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { seed } from '../../support/random.ts';
import { some } from '../../support/some.ts';
import {
  holdings,
  type Json,
  type Path,
  Prepared,
  places,
  spelled,
  withMember,
} from './requests.ts';

// Bodies that no honest client sends. None is answered with a 5xx, and after all of them nothing is written and the
// next request is answered as ever. `call` holds every answer against what its operation declares. One way in reads all
// bodies: a body of one thing, a patch and a batch stand for all. test/api/requests/operations.test.ts has the others.

console.info(`SEED=${seed}`);
const operations = ['createLead', 'updatePipeline', 'createLeads'].map(
  (id) => routed.find((operation) => operation.id === id)!,
);

describe.each(operations)('$id', (operation) => {
  let organization: Organization;
  let prepared: Prepared;
  let before: Awaited<ReturnType<typeof holdings>>;
  /** In which nothing is counted. */
  let another: Organization;
  let sent = 0;

  beforeAll(async () => {
    organization = await provision();
    prepared = await Prepared.of(operation, organization);
    before = await holdings(organization);
    another = await provision();
  });

  const expectRefused = async (bodies: readonly (string | Uint8Array<ArrayBuffer>)[]) => {
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) {
      const answer = await prepared.send(body);
      const shown = `${typeof body === 'string' ? body.slice(0, 200) : body.length} ${answer.text.slice(0, 500)}`;
      expect([isRefused(answer), shown]).toEqual([true, shown]);
      // However long the input, what is said about it is short.
      expect(answer.text.length).toBeLessThan(10_000);
      sent++;
    }
  };

  const good = () => JSON.stringify(prepared.body);
  const leaves = () =>
    places(prepared.body).filter(([, value]) => typeof value !== 'object' || value === null);
  /** In each place; in `npm test`, in one by chance. */
  const inPlaces = (raw: string) =>
    some(leaves(), 1, `${operation.id} ${raw}`).map(([path]) => spelled(prepared.body, path, raw));
  /** In `npm test`, some by chance. */
  const few = <T>(all: readonly T[], of: string) => some(all, 4, `${operation.id} ${of}`);

  test('what is no JSON, or no object, is refused', async () => {
    const text = good();
    await expectRefused(
      few(
        [
          '',
          text.slice(0, text.length / 2),
          `${text.slice(0, -1)},}`,
          `{,${text.slice(1)}`,
          `${text}// that is all`,
          text.replaceAll('"', "'"),
          text.replace(/"(\w+)":/g, '$1:'),
          `\ufeff${text}`,
          `${text}\n${text}`,
          `[${text}]`,
          JSON.stringify(text),
          `\u00a0${text}`,
          `${text}\0`,
          'null',
          '0',
          'contact_name=x',
          [...text].join('\0'),
        ],
        'whole',
      ),
    );
  });

  test('a value that no JSON has, or that would be another one, is refused', async () => {
    const values = [
      'NaN',
      '0x10',
      '01',
      '+1',
      '1.',
      '1e999',
      '9'.repeat(400),
      `1e${'9'.repeat(400)}`,
      '"a\u0001b"',
      '"\\x41"',
      '"\\u12"',
      '"a\\ud800"',
      '"\\udc00a"',
      '"\\udc00\\ud800"',
    ];
    await expectRefused(few(values, 'values').flatMap(inPlaces));
  });

  test('a name that is none, or would change a prototype, is refused in any object', async () => {
    const names = [
      '"__proto__":{"polluted":1}',
      '"constructor":{"prototype":{"polluted":1}}',
      '"toString":1',
      '"\\u005f_proto__":{"polluted":1}',
      '"\\ud800":1',
      '"":1',
    ];
    await expectRefused(
      few(names, 'names').flatMap((raw) =>
        some(withMember(prepared.body, raw), 1, `${operation.id} ${raw}`),
      ),
    );
  });

  test('a name that is there twice is refused, whichever of the two is right', async () => {
    const [key = ''] = Object.keys(prepared.body);
    await expectRefused([
      `${good().slice(0, -1)},"${key}":false}`,
      `{"${key}":false,${good().slice(1)}`,
      `{"${key}":${JSON.stringify(prepared.body[key])},${good().slice(1)}`,
    ]);
  });

  test('many levels are refused', async () => {
    const [[path]] = leaves() as [[Path, Json]];
    await expectRefused(
      [101, 6000, 100_000].flatMap((n) => {
        const arrays = '['.repeat(n) + ']'.repeat(n);
        const objects = '{"a":'.repeat(n) + 1 + '}'.repeat(n);
        const inside = [arrays, objects].map((deep) => spelled(prepared.body, path, deep));
        return some([arrays, objects, '['.repeat(n), ...inside], 1, `${operation.id} ${n}`);
      }),
    );
  });

  test('bytes that are not UTF-8 are refused', async () => {
    const wrong = [
      [0xff],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xf0, 0x9f],
    ];
    const [head = '', tail = ''] = spelled(prepared.body, leaves()[0]![0], '"@"').split('"@"');
    const bodies = wrong.map((bytes) =>
      Uint8Array.from([...Buffer.from(`${head}"`), ...bytes, ...Buffer.from(`"${tail}`)]),
    );
    await expectRefused(few(bodies, 'bytes'));
  });

  // After all of the above. A good body is checked for names that are not known: it would show a polluted prototype.
  test('nothing of this is written, and the next request is answered as ever', async () => {
    expect(sent).toBeGreaterThan(0);
    expect(await holdings(organization)).toEqual(before);
    const request = await Prepared.of(operation, another);
    expect((await request.send()).status).toBe(operation.response.status);
  });
});
