import { beforeAll, describe, expect, test } from 'vitest';
import { isRefused } from '../../support/again.ts';
import { routed } from '../../support/api.ts';
import { invoke, type Organization, provision } from '../../support/organization.ts';
import { seed } from '../../support/random.ts';
import { sample } from '../../support/samples.ts';
import { some } from '../../support/some.ts';
import { holdings, Prepared, places, spelled, withMember } from './requests.ts';

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

  const expectRefused = async (bodies: Iterable<string | Uint8Array<ArrayBuffer>>) => {
    const sentBefore = sent;
    for (const body of bodies) {
      const answer = await prepared.send(body);
      const shown = `${typeof body === 'string' ? body.slice(0, 200) : body.length} ${answer.text.slice(0, 500)}`;
      expect([isRefused(answer), shown]).toEqual([true, shown]);
      // However long the input, what is said about it is short.
      expect(answer.text.length).toBeLessThan(10_000);
      sent++;
    }
    expect(sent).toBeGreaterThan(sentBefore);
  };

  const good = () => JSON.stringify(prepared.body);
  const leaves = () =>
    places(prepared.body).filter(([, value]) => typeof value !== 'object' || value === null);
  /** In each place; in `npm test`, in one by chance. */
  const inPlaces = (raw: string) =>
    some(leaves(), 1, `${operation.id} ${raw}`).map(([path]) => spelled(prepared.body, path, raw));

  test.each<[string, (text: string) => string]>([
    ['nothing', () => ''],
    ['blanks', () => ' \n'],
    ['cut off', (text) => text.slice(0, -1)],
    ['cut off in the middle', (text) => text.slice(0, text.length / 2)],
    ['a comma at the end', (text) => `${text.slice(0, -1)},}`],
    ['a comma at the start', (text) => `{,${text.slice(1)}`],
    ['a line comment', (text) => `${text}// that is all`],
    ['a block comment', (text) => `/**/${text}`],
    ['single quotes', (text) => text.replaceAll('"', "'")],
    ['names without quotes', (text) => text.replace(/"(\w+)":/g, '$1:')],
    ['a byte order mark', (text) => `\ufeff${text}`],
    ['two values', (text) => `${text}${text}`],
    ['two values, a line each', (text) => `${text}\n${text}`],
    ['an array of it', (text) => `[${text}]`],
    ['a string of it', (text) => JSON.stringify(text)],
    ['a no-break space', (text) => `\u00a0${text}`],
    ['a NUL at the end', (text) => `${text}\0`],
    ['a bare word', () => 'undefined'],
    ['a word', () => 'null'],
    ['a number', () => '0'],
    ['true', () => 'true'],
    ['a form', () => 'contact_name=x'],
    ['UTF-16', (text) => [...text].join('\0')],
  ])('%s is refused', async (_what, spell) => {
    await expectRefused([spell(good())]);
  });

  test.each<[string, string]>([
    ['NaN', 'NaN'],
    ['Infinity', '-Infinity'],
    ['a bare word', 'yes'],
    ['hexadecimal', '0x10'],
    ['a leading zero', '01'],
    ['a plus sign', '+1'],
    ['no digit after the point', '1.'],
    ['a number beyond all others', '1e999'],
    ['a number of 400 digits', '9'.repeat(400)],
    ['a fraction of 400 digits', `0.${'3'.repeat(400)}`],
    ['an exponent of 400 digits', `1e${'9'.repeat(400)}`],
    ['a control character', '"a\u0001b"'],
    ['a line feed', '"a\nb"'],
    ['an unknown escape', '"\\x41"'],
    ['half an escape', '"\\u12"'],
    ['a high surrogate alone', '"a\\ud800"'],
    ['a low surrogate alone', '"\\udc00a"'],
    ['surrogates the wrong way round', '"\\udc00\\ud800"'],
  ])('%s in any place is refused', async (_what, raw) => {
    await expectRefused(inPlaces(raw));
  });

  test.each([
    '"__proto__":{"polluted":1}',
    '"__proto__":null',
    '"constructor":{"prototype":{"polluted":1}}',
    '"constructor":1',
    '"prototype":{"polluted":1}',
    '"toString":1',
    '"\\u005f_proto__":{"polluted":1}',
    '"\\ud800":1',
    '"":1',
  ])('%s in any object is refused, and changes no prototype', async (raw) => {
    await expectRefused(some(withMember(prepared.body, raw), 1, `${operation.id} ${raw}`));
  });

  test('a name that is there twice is refused, whichever of the two is right', async () => {
    const [key = ''] = Object.keys(prepared.body);
    const both = `"${key}":${JSON.stringify(prepared.body[key])}`;
    const refused = [
      `${good().slice(0, -1)},"${key}":false}`,
      `{"${key}":false,${good().slice(1)}`,
      `{${both},${good().slice(1)}`,
    ];
    await expectRefused(refused);
  });

  test.each([100, 1000, 2000, 4000, 6000, 8000, 100_000])('%i levels are refused', async (n) => {
    const arrays = '['.repeat(n) + ']'.repeat(n);
    const objects = '{"a":'.repeat(n) + 1 + '}'.repeat(n);
    const unclosed = '['.repeat(n);
    const inside = [arrays, objects].map((deep) => spelled(prepared.body, leaves()[0]![0], deep));
    await expectRefused(some([arrays, objects, unclosed, ...inside], 1, `${operation.id} ${n}`));
  });

  test.each<[string, number[]]>([
    ['a byte that never is', [0xff]],
    ['a longer form than needed', [0xc0, 0x80]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
    ['a sequence cut off', [0xf0, 0x9f]],
  ])('bytes that are not UTF-8 are refused: %s', async (_what, bytes) => {
    const bodies = inPlaces('"@"').map((text) => {
      const [head = '', tail = ''] = text.split('"@"');
      return Uint8Array.from([...Buffer.from(`${head}"`), ...bytes, ...Buffer.from(`"${tail}`)]);
    });
    await expectRefused(bodies);
  });

  test('5 MB in one string, or in one name, are refused and not repeated', async () => {
    const much = 'x'.repeat(5 * 1024 * 1024);
    const [path] = leaves()[0]!;
    const bodies = [
      spelled(prepared.body, path, `"${much}"`),
      ...withMember(prepared.body, `"${much}":1`),
      ...withMember(prepared.body, `"${much.slice(0, 1000)}":1`),
    ];
    await expectRefused(some(bodies, 1, `${operation.id} 5 MB`));
  });

  // After all of the above. A good body is checked for names that are not known: it would show a polluted prototype.
  test('nothing of this is written, and the next request is answered as ever', async () => {
    expect(sent).toBeGreaterThan(0);
    expect(await holdings(organization)).toEqual(before);
    const request = await Prepared.of(operation, another);
    expect((await request.send()).status).toBe(operation.response.status);
  });

  test('a body in base64 is taken as its text is', async () => {
    const send = async (encode: (text: string) => { body: string; isBase64Encoded: boolean }) => {
      const event = await sample(operation.id, another);
      return invoke(operation.id, { ...event, ...encode(event.body ?? '') });
    };
    const encoded = (body: string, encoding: BufferEncoding = 'utf8') => ({
      body: Buffer.from(body, encoding).toString('base64'),
      isBase64Encoded: true,
    });
    const plain = await send((body) => ({ body, isBase64Encoded: false }));
    const taken = await send(encoded);
    expect([taken.failed, taken.payload.statusCode]).toEqual([false, operation.response.status]);
    expect(plain.payload.statusCode).toBe(taken.payload.statusCode);
    expect(shape(JSON.parse(taken.payload.body))).toEqual(shape(JSON.parse(plain.payload.body)));
    for (const wrong of [(text: string) => encoded(`${text}ÿ`, 'latin1'), () => encoded('')]) {
      expect((await send(wrong)).payload.statusCode).toBe(400);
    }
  });
});

/** A body without what is another each time: ids, times, secrets and what was made of them, as keys are. */
const shape = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body)
      .replace(/[0-9a-f]{8}([-_])[0-9a-f]{4}(\1[0-9a-f]{4}){2}\1[0-9a-f]{12}/g, 'uuid')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
      .replace(/"whsec_[^"]+"/g, '"secret"'),
  );
