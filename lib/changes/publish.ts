import { longestWaitMs, type TimeBounds } from '../table/retry.ts';
import { mostBytes, mostEntries, toChunks } from './event-chunks.ts';
import type { OutgoingEvent } from './outgoing-event.ts';

/** The outcome of an event at the bus. `later`: a repeat may be accepted. `refused`: no repeat will be. */
export type PutOutcome = { kind: 'accepted' } | { kind: 'later' | 'refused'; code: string };

/** The bus of outgoing events, and the queue of those that it can't take. */
export interface Exits {
  /**
   * Puts events on the bus in one request. Gives an outcome for each, and never rejects. `endMs`: no answer is waited
   * for after it.
   */
  put(events: readonly OutgoingEvent[], endMs: number): Promise<PutOutcome[]>;
  /** Puts into the queue where an event is, and why it can't be sent. Rejects if that can't be done now. */
  setAside(event: OutgoingEvent, why: string): Promise<void>;
}

export interface Publication {
  accepted: number;
  setAside: number;
  /** Events for which the time was too short, and the last reason why. */
  left: OutgoingEvent[];
  why: string | undefined;
}

/** Nothing starts with less time than this, in milliseconds. */
const shortestTimeMs = 50;

// docs/decisions/facts.md
/**
 * Puts events on the bus. Each lane has one event under way at a time, and the next follows once it is accepted or set
 * aside; a lane with ten events or more has ten under way. A lane that has to wait holds up no other. Never rejects.
 */
export const publishEvents = (
  events: readonly OutgoingEvent[],
  exits: Exits,
  limit: Required<TimeBounds>,
): Promise<Publication> => new Publisher(events, exits, limit).run();

interface Lane {
  waiting: OutgoingEvent[];
  failures: number;
  /** Milliseconds since the epoch. */
  dueAt: number;
}

const fits = ({ entry, bytes }: OutgoingEvent): boolean =>
  entry !== undefined && bytes <= mostBytes;

/** Whether a lane may send ten at once: a wallet with hundreds of changes a second would else hold up its shard. */
const isFarBehind = ({ waiting, failures }: Lane): boolean =>
  failures === 0 && waiting.length >= mostEntries;

/** The first events of a lane: as many as one request takes. */
const firstOf = ({ waiting }: Lane): OutgoingEvent[] => {
  const first = waiting.slice(0, mostEntries);
  const end = first.findIndex((event) => !fits(event));
  return toChunks(end < 0 ? first : first.slice(0, end))[0]!;
};

class Publisher {
  readonly #exits: Exits;
  readonly #limit: Required<TimeBounds>;
  readonly #lanes: Lane[];
  #accepted = 0;
  #setAside = 0;
  #why: string | undefined;

  constructor(events: readonly OutgoingEvent[], exits: Exits, limit: Required<TimeBounds>) {
    this.#exits = exits;
    this.#limit = limit;
    const lanes = Map.groupBy(events, ({ lane }) => lane).values();
    this.#lanes = [...lanes].map((waiting) => ({ waiting, failures: 0, dueAt: 0 }));
  }

  async run(): Promise<Publication> {
    for (;;) {
      const open = this.#lanes.filter(({ waiting }) => waiting.length > 0);
      if (open.length === 0 || this.#timeLeftMs < shortestTimeMs) break;
      const waitMs = Math.min(...open.map(({ dueAt }) => dueAt)) - Date.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      await this.#sendNext(open.filter(({ dueAt }) => dueAt <= Date.now()));
    }
    const left = this.#lanes.flatMap(({ waiting }) => waiting);
    return { accepted: this.#accepted, setAside: this.#setAside, left, why: this.#why };
  }

  get #timeLeftMs(): number {
    return this.#limit.deadline - Date.now();
  }

  /** Sends what comes next of each lane. */
  async #sendNext(lanes: readonly Lane[]): Promise<void> {
    const heads = lanes.map((lane) => ({ lane, event: lane.waiting[0]! }));
    const far = heads.filter(({ lane, event }) => fits(event) && isFarBehind(lane));
    const near = heads.filter((head) => fits(head.event) && !far.includes(head));
    const chunks = toChunks(near.map((head) => ({ ...head, bytes: head.event.bytes })));
    const others = heads.filter(({ event }) => !fits(event));
    await Promise.all([
      ...chunks.map((chunk) => this.#put(chunk)),
      ...far.map(({ lane }) => this.#put(firstOf(lane).map((event) => ({ lane, event })))),
      ...others.map(({ lane, event }) => {
        const code = event.entry ? 'too_large' : 'not_described';
        return this.#settle(lane, [{ kind: 'refused', code }]);
      }),
    ]);
  }

  async #put(chunk: readonly { lane: Lane; event: OutgoingEvent }[]): Promise<void> {
    const events = chunk.map(({ event }) => event);
    const outcomes = await this.#exits.put(events, this.#limit.endMs);
    const byLane = Map.groupBy(outcomes.keys(), (i) => chunk[i]!.lane);
    await Promise.all(
      [...byLane].map(([lane, places]) =>
        this.#settle(
          lane,
          places.map((i) => outcomes[i]!),
        ),
      ),
    );
  }

  /**
   * Takes the outcomes of a lane's first events, in their order. Events after an event that has to wait are sent again
   * after it.
   */
  async #settle(lane: Lane, outcomes: readonly PutOutcome[]): Promise<void> {
    for (const outcome of outcomes) {
      if (outcome.kind === 'accepted') this.#accepted++;
      else if (outcome.kind === 'later') return this.#backOff(lane, outcome.code);
      else {
        try {
          await this.#exits.setAside(lane.waiting[0]!, outcome.code);
          this.#setAside++;
        } catch {
          return this.#backOff(lane, `${outcome.code}, and the queue does not take it`);
        }
      }
      this.#goOn(lane);
    }
  }

  #goOn(lane: Lane): void {
    lane.waiting.shift();
    lane.failures = 0;
  }

  /** Has a lane wait, with full jitter as in `lib/table/retry.ts`. */
  #backOff(lane: Lane, why: string): void {
    this.#why = why;
    lane.failures++;
    const longestMs = Math.min(longestWaitMs(lane.failures), Math.max(0, this.#timeLeftMs));
    lane.dueAt = Date.now() + Math.ceil(Math.random() * longestMs);
  }
}
