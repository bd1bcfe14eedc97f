import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setImmediate as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Outcome } from '../../../packages/client/src/cli/amend.ts';
import type { Batch } from '../../../packages/client/src/cli/batches.ts';
import type { Lead } from '../../../packages/client/src/cli/fields.ts';
import { importAll, insist, repeatsValue } from '../../../packages/client/src/cli/import.ts';
import { Journal } from '../../../packages/client/src/cli/journal.ts';
import { Progress } from '../../../packages/client/src/cli/progress.ts';
import type { Row } from '../../../packages/client/src/cli/rows.ts';
import {
  connectionTo,
  csv,
  makeDirectory,
  ndjson,
  withoutWaits,
  withStillClock,
} from './support.ts';

const created = { status: 201 };
const failed = (code: string) => ({ status: 500, error: { code, message: 'Not now.' } });

const hours = 3600_000;

/** What becomes of an import of two rows, of which the second is answered so, as often as it is asked for. */
const importing = async (
  answers: (object | Response | Error)[],
  { hoursEach = 0, isMatched = false, before = [] as object[] } = {},
) => {
  const path = await makeDirectory();
  const [file, state] = [path('leads.csv'), path('state')];
  await writeFile(file, 'contact_name\nAna\nRui\n');
  const lines = before.map((line) => `${JSON.stringify(line)}\n`);
  if (lines.length > 0) await writeFile(state, lines.join(''));
  withoutWaits();
  withStillClock();
  let asked = 0;
  const connection = connectionTo(() => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    vi.setSystemTime(Date.now() + hoursEach * hours);
    if (answer instanceof Error) throw answer;
    return answer instanceof Response ? answer : Response.json({ items: [created, answer] });
  });
  const journal = Journal.open(state, {} as never, isMatched);
  const from = { file, leadFile: csv(['contact_name']), toLead: () => ({ lead: {} }) };
  const ended = importAll(connection, from, {}, journal, new Progress(2));
  const error = await ended.then(
    () => undefined,
    ({ message }: Error) => message,
  );
  return { error, done: journal.done.get(0), asked, isOpen: existsSync(state) };
};

test('a batch is sent again while the service can’t take some of its rows', async () => {
  const { error, done, asked } = await importing([failed('unavailable'), created]);
  expect([error, asked, done?.counts.created]).toEqual([undefined, 2, 2]);
});

test('if that does not pass, the import ends, and goes on with the batch when it is started again', async () => {
  const { error, done, isOpen } = await importing([failed('unavailable')]);
  expect([done, isOpen]).toEqual([undefined, true]);
  expect(error).toMatch(/unavailable.*again/);
});

test('a row that the service keeps failing at is told as refused, and holds up no other', async () => {
  const { error, done } = await importing([failed('internal')]);
  expect([error, done?.counts.created]).toEqual([undefined, 1]);
  expect(done?.refused).toMatchObject([{ line: 3, code: 'internal' }]);
});

test('an import whose sender loses the role half-way ends, and the batch stays open', async () => {
  const refusal = { error: { code: 'forbidden', message: 'You may not.', request_id: 'r' } };
  const refused = Response.json(refusal, { status: 403 });
  const { error, done, isOpen, asked } = await importing([failed('forbidden'), refused]);
  expect(error).toBe('You may not.');
  expect([done, isOpen, asked]).toEqual([undefined, true, 2]);
});

const away = () => new Response(null, { status: 503 });

test.each([
  ['its rows have', () => failed('unavailable')],
  ['the service has', away],
])(
  'a batch that was sent first a day ago is not sent again where %s to wait: its key is forgotten',
  async (_, answer) => {
    const { error, done, asked } = await importing([answer(), created], { hoursEach: 24 });
    expect([error, done, asked]).toEqual([
      expect.stringMatching(/more than 24 hours/),
      undefined,
      1,
    ]);
  },
);

test('a batch is sent again within a day of the first time', async () => {
  const twice = [failed('unavailable'), away(), created];
  const late = await importing(twice, { hoursEach: 12 });
  expect([late.error, late.asked]).toEqual([expect.stringMatching(/more than 24 hours/), 2]);
  const soon = await importing(twice, { hoursEach: 11 });
  expect([soon.error, soon.asked]).toEqual([undefined, 3]);
});

test('a batch is sent again after a day where rows find their leads', async () => {
  const given = { hoursEach: 24, isMatched: true };
  const { error, asked } = await importing([failed('unavailable'), created], given);
  expect([error, asked]).toEqual([undefined, 2]);
});

const answer = (status: number) => new Response(null, { status });
const failure = (code: string) => new TypeError('fetch failed', { cause: { code } });

// One that has stored nothing can begin again with other options.
test.each<[string, boolean, object[]]>([
  ['400', false, [answer(400)]],
  ['401', false, [answer(401)]],
  ['404', false, [answer(404)]],
  ['a redirect', false, [answer(307)]],
  ['a redirect after a lost answer', true, [failure('ECONNRESET'), answer(308)]],
  ['no connection', false, [failure('ECONNREFUSED')]],
  ['no such name', false, [failure('ENOTFOUND')]],
  ['a lost answer', true, [failure('ECONNRESET')]],
  ['no answer in time', true, [new DOMException('late', 'TimeoutError')]],
  ['503', true, [answer(503)]],
  // Whoever is a member no more may have stored a part.
  ['403', true, [answer(403)]],
  ['403 after a lost answer', true, [failure('ECONNRESET'), answer(403)]],
  ['401 after some rows were stored', true, [failed('unavailable'), answer(401)]],
])(
  'an import that ends at its first request with %s may have stored something: %s',
  async (_, mayHaveStored, answers) => {
    const { error, isOpen } = await importing(answers);
    expect([error, isOpen]).toEqual([expect.any(String), mayHaveStored]);
  },
);

test('an import that ends at its first request goes on also if only a run before it may have stored something', async () => {
  const start = { start: { id: 'i' } };
  const sent = { sent: 0, at: Date.now() };
  expect((await importing([answer(401)], { before: [start, sent] })).isOpen).toBe(true);
  expect((await importing([answer(401)], { before: [start] })).isOpen).toBe(false);
});

const batchOf = (...leads: Lead[]): Batch => ({
  batch: 0,
  rows: leads.length,
  refused: [],
  leads: leads.map((lead) => ({ line: 1, lead })),
});

test('a batch repeats what one before it has, in any case of letters, and nothing of its own', () => {
  const seen = new Map<string, number>();
  const repeat = [
    [{ email: 'a@x' }, { external_id: '1' }],
    [{ phone: '+1' }],
    [{ email: 'A@X' }],
    [{ external_id: '1', email: 'b@x' }],
    [{ external_id: '2' }, { external_id: '2' }],
    [{ email: '1' }, { contact_name: 'a@x' }],
  ].map((leads) => repeatsValue(batchOf(...leads), seen));
  expect(repeat).toEqual([false, false, true, true, false, false]);
});

test('where there are too many values to remember, each batch may repeat one', () => {
  const seen = new Map<string, number>();
  const repeat = ['a', 'b', 'c', 'd'].map((email) => repeatsValue(batchOf({ email }), seen, 3));
  expect([repeat, seen.size]).toEqual([[false, false, false, true], 3]);
});

/** Which of three batches are sent while the second one is under way: each has these leads, and 100 in all. */
const besideTheSecond = async (firsts: Lead[][]): Promise<number[]> => {
  const path = await makeDirectory();
  const file = path('leads.ndjson');
  const leads = firsts.flatMap((some, batch) =>
    Array.from({ length: 100 }, (_, i) => some[i] ?? { external_id: `${batch} ${i}` }),
  );
  await writeFile(file, leads.map((lead) => `${JSON.stringify(lead)}\n`).join(''));
  const allRead = Promise.withResolvers<void>();
  let rows = 0;
  const toLead = ({ content }: Row) => {
    if (++rows === leads.length) allRead.resolve();
    return { lead: (content as { value: Lead }).value };
  };
  const underWay = new Set<number>();
  const beside: number[] = [];
  let sent = 0;
  const connection = connectionTo(async () => {
    const batch = sent++;
    if (underWay.has(1)) beside.push(batch);
    underWay.add(batch);
    // Once all rows are read, the third is sent by then, or has to wait.
    if (batch === 1) await allRead.promise.then(() => wait());
    underWay.delete(batch);
    return Response.json({ items: Array(100).fill(created) });
  });
  const journal = Journal.open(path('state'), {} as never, false);
  const from = { file, leadFile: ndjson, toLead };
  await importAll(connection, from, {}, journal, new Progress(leads.length));
  expect(journal.done.size).toBe(firsts.length);
  return beside;
};

test('two batches are sent at once where they share nothing, and else one after the other', async () => {
  const firsts = [[{ email: 'a@x' }, { phone: '+1' }], [{ email: 'a@x' }]];
  expect(await besideTheSecond([...firsts, []])).toEqual([2]);
  // It shares something with one that is answered.
  expect(await besideTheSecond([...firsts, [{ phone: '+1' }]])).toEqual([]);
});

const refusedFor = (code: string): Outcome => ({ status: 400, error: { code, message: 'No.' } });

test('rows are asked for again by chance, each time later, 20 times at most', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const timer = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  const asking = async (code: string, times: number) => {
    timer.mockClear();
    let asked = 0;
    const asks = async () => [++asked < times ? refusedFor(code) : { status: 201 }];
    const ended = insist(asks).then(
      ([one]) => one?.error?.code ?? one?.status,
      ({ message }: Error) => message.replace(/ Nothing.*/, ''),
    );
    await vi.runAllTimersAsync();
    return [await ended, asked, timer.mock.calls.map(([, milliseconds]) => milliseconds)];
  };
  expect(await asking('unavailable', 4)).toEqual([201, 4, [100, 200, 300]]);
  const all = Array.from({ length: 19 }, (_, i) => 100 * (i + 1));
  for (const code of ['write_conflict', 'unavailable', 'timeout', 'rate_limited', 'forbidden']) {
    expect(await asking(code, 20)).toEqual([201, 20, all]);
    const message = `The service could not take some rows for now (${code}).`;
    expect(await asking(code, 21)).toEqual([message, 20, all]);
  }
  // What it fails at for good is told as refused.
  expect(await asking('internal', 21)).toEqual(['internal', 20, all]);
  expect(await asking('invalid_request', 2)).toEqual(['invalid_request', 1, []]);
});
