import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { mostBytes, mostEntries } from '../../../lib/changes/event-chunks.ts';
import type { OutgoingEvent } from '../../../lib/changes/outgoing-event.ts';
import { type PutOutcome, publishEvents } from '../../../lib/changes/publish.ts';
import { seed } from '../../support/random.ts';

// By a bus in memory that fails as it is told, and a clock that stands still but while somebody waits.

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const event = (lane: string, place: number, bytes = 100): OutgoingEvent => ({
  item: { pk: lane, sk: String(place) },
  lane,
  entry: { Source: 's', DetailType: 't', Detail: '{}' },
  bytes,
});
const nameOf = ({ lane, item }: OutgoingEvent) => `${lane}${item.sk}`;

/** How the bus answers an event; `lost`: it takes the event, and the answer does not come. */
const outcomes = {
  accepted: { kind: 'accepted' },
  lost: { kind: 'later', code: 'TimeoutError' },
  later: { kind: 'later', code: 'ThrottlingException' },
  refused: { kind: 'refused', code: 'MalformedDetail' },
} satisfies Record<string, PutOutcome>;
type Answer = keyof typeof outcomes;

const run = async (
  events: readonly OutgoingEvent[],
  answer: (event: OutgoingEvent, attempt: number) => Answer,
  { queueFails = (_attempt: number): boolean => false, limitMs = 9000 } = {},
) => {
  const attempts = new Map<string, number>();
  const countAttempt = (name: string): number => {
    const attempt = (attempts.get(name) ?? 0) + 1;
    attempts.set(name, attempt);
    return attempt;
  };
  const underWay = new Set<string>();
  /** What reached the bus or the queue, in its order. */
  const gone: string[] = [];
  const aside: [string, string][] = [];
  const exits = {
    async put(pack: readonly OutgoingEvent[]): Promise<PutOutcome[]> {
      expect(pack.length).toBeGreaterThan(0);
      expect(pack.length).toBeLessThanOrEqual(mostEntries);
      expect(pack.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(mostBytes);
      const lanes = new Set(pack.map(({ lane }) => lane));
      // Of a lane, several at once have a request of their own.
      if (lanes.size > 1) expect(lanes.size).toBe(pack.length);
      for (const lane of lanes) {
        expect([lane, underWay.has(lane)]).toEqual([lane, false]);
        underWay.add(lane);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
      return pack.map((one) => {
        underWay.delete(one.lane);
        const said = answer(one, countAttempt(nameOf(one)));
        if (said === 'accepted' || said === 'lost') gone.push(nameOf(one));
        return outcomes[said];
      });
    },
    async setAside(one: OutgoingEvent, why: string) {
      if (queueFails(countAttempt(`aside ${nameOf(one)}`))) throw new Error('the queue is away');
      gone.push(nameOf(one));
      aside.push([nameOf(one), why]);
    },
  };
  const publishing = publishEvents(events, exits, { deadline: limitMs, endMs: limitMs + 1000 });
  await vi.runAllTimersAsync();
  const { left, ...counts } = await publishing;
  /** By when each came last. */
  const lasts = gone.filter((name, i) => gone.lastIndexOf(name) === i);
  const ofLane = (lane: string) => lasts.filter((name) => name.startsWith(lane));
  return { ...counts, left: left.map(nameOf), gone, aside, attempts, ofLane };
};

test('events of several leads leave together, and those of one lead one after another', async () => {
  const events = ['a', 'b', 'a', 'c', 'a'].map((lane, i) => event(lane, i));
  const { accepted, left, gone } = await run(events, () => 'accepted');
  expect([accepted, left]).toEqual([5, []]);
  expect(gone).toEqual(['a0', 'b1', 'c3', 'a2', 'a4']);
});

test('a wallet that is far behind sends ten at a time, in their order, and keeps nobody else waiting', async () => {
  const events = [...Array(100).keys()].map((place) => event('a', place)).concat(event('b', 100));
  const startMs = Date.now();
  const { accepted, gone } = await run(events, () => 'accepted');
  expect([accepted, gone.indexOf('b100') < 12]).toEqual([101, true]);
  expect(gone.filter((name) => name !== 'b100')).toEqual(events.slice(0, 100).map(nameOf));
  expect(Date.now() - startMs).toBeLessThanOrEqual(19 * 10);
});

test('one that is refused for a while is sent again before the next of its lead, and holds up no other', async () => {
  const events = ['a', 'a', 'b', 'b', 'b'].map((lane, i) => event(lane, i));
  const { gone, attempts } = await run(events, ({ lane }, attempt) =>
    lane === 'a' && attempt < 4 ? 'later' : 'accepted',
  );
  expect(gone).toEqual(['b2', 'b3', 'b4', 'a0', 'a1']);
  expect(attempts.get('a0')).toBe(4);
});

test('a bus that refuses all of them until the time is over leaves all, from the first of each lead', async () => {
  const events = ['a', 'a', 'b'].map((lane, i) => event(lane, i));
  const { accepted, left, gone, attempts, why } = await run(events, () => 'later');
  expect([accepted, left, gone]).toEqual([0, ['a0', 'a1', 'b2'], []]);
  expect(why).toBe('ThrottlingException');
  // Waits that double up to 1.6 seconds, at random: in nine seconds some, and not hundreds.
  expect(attempts.get('a0')).toBeGreaterThan(5);
  expect(attempts.get('a0')).toBeLessThan(60);
  expect(attempts.get('a1')).toBeUndefined();
  expect(Date.now()).toBeLessThanOrEqual(9000 + 10);
});

test.each([
  ['which the bus refuses for itself', event('a', 1), 'MalformedDetail', 1],
  ['which is too large, by one byte', event('a', 1, mostBytes + 1), 'too_large', undefined],
  [
    'of which no change can be made',
    { ...event('a', 1), entry: undefined },
    'not_described',
    undefined,
  ],
])(
  'one %s is set aside at once, and the next of its lead follows',
  async (_what, one, why, asked) => {
    const events = [event('a', 0, mostBytes), one, event('a', 2)];
    const { accepted, setAside, left, aside, attempts, gone } = await run(events, ({ item }) =>
      item.sk === '1' ? 'refused' : 'accepted',
    );
    expect([accepted, setAside, left]).toEqual([2, 1, []]);
    expect(aside).toEqual([['a1', why]]);
    expect([attempts.get('a1'), gone]).toEqual([asked, ['a0', 'a1', 'a2']]);
  },
);

test('what the queue can’t take now is not lost: it is tried again, and left in the end', async () => {
  const events = [event('a', 0), event('a', 1)];
  const refused = ({ item }: OutgoingEvent): Answer => (item.sk === '0' ? 'refused' : 'accepted');
  const once = await run(events, refused, { queueFails: (attempt) => attempt === 1 });
  expect([once.setAside, once.left, once.gone]).toEqual([1, [], ['a0', 'a1']]);
  const always = await run(events, refused, { queueFails: () => true, limitMs: Date.now() + 5000 });
  expect([always.setAside, always.left, always.gone]).toEqual([0, ['a0', 'a1'], []]);
});

test(`whatever the bus does: at least once, each lead’s in order, and only leads that wait are left (SEED=${seed})`, async () => {
  const lanes = ['a', 'b', 'c', 'd'];
  const anEvent = fc.record({
    lane: fc.constantFrom(...lanes),
    bytes: fc.constantFrom(1, 1000, mostBytes / 3, mostBytes, mostBytes + 1),
    answers: fc.array(fc.constantFrom<Answer>('later', 'lost', 'refused'), { maxLength: 4 }),
    never: fc.integer({ min: 0, max: 30 }).map((n) => n === 0),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anEvent, { maxLength: 60 }), async (all) => {
      vi.setSystemTime(0);
      const events = all.map(({ lane, bytes }, i) => event(lane, i, bytes));
      const answer = ({ item }: OutgoingEvent, attempt: number) => {
        const { answers, never } = all[Number(item.sk)]!;
        return never ? 'later' : (answers[attempt - 1] ?? 'accepted');
      };
      const { accepted, setAside, left, ofLane } = await run(events, answer, { limitMs: 600_000 });
      expect(accepted + setAside + left.length).toBe(events.length);
      for (const lane of lanes) {
        const own = events.filter((one) => one.lane === lane);
        const names = own.map(nameOf);
        const stuck = own.findIndex(
          ({ item, bytes }) => all[Number(item.sk)]!.never && bytes <= mostBytes,
        );
        const end = stuck < 0 ? own.length : stuck;
        const done = ofLane(lane).filter((name) => !left.includes(name));
        expect(done).toEqual(names.slice(0, end));
        expect(left.filter((name) => name.startsWith(lane))).toEqual(names.slice(end));
      }
    }),
    { seed, numRuns: 60 },
  );
});
