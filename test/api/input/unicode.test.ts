import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { tag } from '../../../lib/leads/tags.ts';
import { text as textSchema } from '../../../lib/schema/fields.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { seed } from '../../support/random.ts';
import { times } from '../../support/some.ts';

// Text comes back as it was sent, code point for code point, but for tags. A run is repeated with its SEED.

console.info(`SEED=${seed}`);

let organization: Organization;

beforeAll(async () => {
  organization = await provision();
});

const known: [what: string, value: string][] = [
  ['NFC', 'caf\u00e9'],
  ['NFD', 'cafe\u0301'],
  ['blanks that do not show', '\u2060caf\u00e9\u200b'],
  ['many combining marks', `a${'\u0301\u0327\u0489'.repeat(8)}`],
  ['a combining mark alone', '\u0301'],
  ['right to left', '\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627'],
  ['direction overrides', 'a\u202eb\u202cc\u2066d\u2069'],
  ['a family', '\u{1F468}\u200d\u{1F469}\u200d\u{1F467}\u200d\u{1F466}'],
  ['a skin tone', '\u{1F44D}\u{1F3FD}'],
  ['a flag', '\u{1F1E7}\u{1F1F7}'],
  ['zero width', 'a\u200bb\u200cc\u2060d'],
  ['a byte order mark inside', 'a\ufeffb'],
  ['line and paragraph separators', 'a\u2028b\u2029c'],
  ['controls', 'a\u0000b\u001fc\u007fd\u0085e'],
  ['line ends', 'a\r\nb\nc\rd'],
  ['blanks around', '\u00a0 a \u3000'],
  ['noncharacters', 'a\ufffeb\uffffc\u{10ffff}'],
  ['the replacement character', 'a\ufffdb'],
  ['private use', '\ue000\u{f0000}'],
  ['Turkish i', '\u0130\u0131Ii'],
  ['sharp s', 'STRASSE stra\u00dfe stra\u1e9ee'],
  ['Hangul, composed and not', '\ud55c \u1112\u1161\u11ab'],
  ['full width', '\uff21\uff22'],
  ['what keys are made of', 'a#b|c/d%23?&=+ e\\"\'{}$.[]'],
  ['an attribute of an object', '__proto__'],
];

/** What the service takes as text: well formed, with something in it, of so many code points. */
const text = (max: number): fc.Arbitrary<string> => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom(...known.map(([, value]) => value)),
  );
  const joined = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
  return joined.filter((value) => z.safeParse(textSchema(max), value).success);
};
/** Of them: those of which the service takes each as another tag. */
const tagLists = fc.uniqueArray(
  text(50).filter((value) => z.safeParse(tag(), value).success),
  { maxLength: 6, selector: (value) => z.parse(tag(), value) },
);

const bytes = (value: string): string => Buffer.from(value).toString('hex');

const query = (fields: [string, string][]): string => `${new URLSearchParams(fields)}`;

const leadKeeps = async (contact_name: string, company_name: string, tags: string[]) => {
  const made = await organization.lead({ contact_name, company_name, tags });
  const stored = tags.map((one) => z.parse(tag(), one));
  const read = (await organization.get(`/leads/${made.id}`)).body;
  for (const lead of [made, read]) {
    expect([lead.contact_name, lead.company_name, ...lead.tags].map(bytes)).toEqual(
      [contact_name, company_name, ...stored].map(bytes),
    );
  }
  if (tags.length === 0) return;
  for (const asked of [tags, stored]) {
    const found = await organization.get(`/leads?${query(asked.map((one) => ['tag', one]))}`);
    expect(found.body.items).toContainEqual(made);
  }
};

const pipelineKeeps = async (name: string, names: string[]) => {
  const place = await provision();
  const stages = names.map((stage) => ({ name: stage, outcome: 'open' }));
  const [first = '', last = ''] = [names[0], names.at(-1)];
  const made = await place.post('/pipelines', { name, stages, default_stage: last });
  const path = `/pipelines/${made.body.id}`;
  const read = (await place.get(path)).body;
  expect([read.name, ...read.stages.map((one: { name: string }) => one.name)].map(bytes)).toEqual(
    [name, ...names].map(bytes),
  );
  expect((await place.get('/pipelines')).body.items.at(-1)).toEqual(read);
  const lead = await place.lead({ pipeline_id: made.body.id });
  const moved = (await place.patch(`/leads/${lead.id}`, { stage: first })).body;
  expect([lead.stage, moved.stage].map(bytes)).toEqual([last, first].map(bytes));
  expect((await place.get(`/leads?${query([['stage', first]])}`)).body.items).toEqual([moved]);
  const summary = (await place.get(`${path}/summary`)).body.stages;
  expect(summary.map((one: { leads: number }) => one.leads)).toEqual(
    names.map((_, i) => (i === 0 ? 1 : 0)),
  );
};

test('any text is kept in a lead, and its tags found', async () => {
  const runs = { seed, numRuns: times(4, 60), endOnFailure: true };
  await fc.assert(fc.asyncProperty(text(200), text(200), tagLists, leadKeeps), runs);
});

test('any text is kept in a pipeline and its stages, and the stages found', async () => {
  const runs = { seed, numRuns: times(2, 60), endOnFailure: true };
  const stages = fc.uniqueArray(text(50), { minLength: 1, maxLength: 6 });
  await fc.assert(fc.asyncProperty(text(100), stages, pipelineKeeps), runs);
});

test('what is known to be hard is kept in leads and pipelines, and found by them', async () => {
  const values = known.map(([, value]) => value);
  for (let i = 0; i < values.length; i += 6) {
    const some = values.slice(i, i + 6);
    const tags = new Map(some.map((value) => [z.parse(tag(), value), value]));
    await leadKeeps(some.join(''), some.toReversed().join(''), [...tags.values()]);
  }
  await pipelineKeeps(values.slice(0, 6).join(''), values);
});
