import type { TimeBounds } from '../table/deadline.ts';
import { longestWaitMs } from '../table/retry.ts';
import type { OutgoingEvent } from './outgoing-event.ts';
import { mostBytes, packEvents } from './packing.ts';

/** What became of an event at the bus. `later`: a repeat may be accepted. `refused`: no repeat will be. */
export type Outcome = { kind: 'accepted' } | { kind: 'later' | 'refused'; code: string };

/** The bus of outgoing events, and the queue of those that it can't take. */
export interface Exits {
  /** Puts events on the bus in one request. Gives an outcome for each, and never rejects. `endMs`: no answer is waited for after it. */
  put(events: readonly OutgoingEvent[], endMs: number): Promise<Outcome[]>;
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

// docs/decisions/events-out.md
/**
 * Puts events on the bus. Of each lane one event is under way at a time, and the next one follows once that is
 * accepted or set aside; a lane that has to wait holds up no other. Never rejects.
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
      await this.#sendHeads(open.filter(({ dueAt }) => dueAt <= Date.now()));
    }
    const left = this.#lanes.flatMap(({ waiting }) => waiting);
    return { accepted: this.#accepted, setAside: this.#setAside, left, why: this.#why };
  }

  get #timeLeftMs(): number {
    return this.#limit.deadline - Date.now();
  }

  /** Sends the first event of each lane. */
  async #sendHeads(lanes: readonly Lane[]): Promise<void> {
    const heads = lanes.map((lane) => ({
      lane,
      event: lane.waiting[0]!,
      bytes: lane.waiting[0]!.bytes,
    }));
    const fits = ({ event }: (typeof heads)[number]) =>
      event.entry !== undefined && event.bytes <= mostBytes;
    const requests = packEvents(heads.filter(fits)).map(async (pack) => {
      const outcomes = await this.#exits.put(
        pack.map(({ event }) => event),
        this.#limit.endMs,
      );
      await Promise.all(pack.map(({ lane }, i) => this.#settle(lane, outcomes[i]!)));
    });
    const others = heads
      .filter((head) => !fits(head))
      .map(({ lane, event }) => {
        const code = event.entry ? 'too_large' : 'not_described';
        return this.#settle(lane, { kind: 'refused', code });
      });
    await Promise.all([...requests, ...others]);
  }

  async #settle(lane: Lane, outcome: Outcome): Promise<void> {
    if (outcome.kind === 'accepted') {
      this.#accepted++;
      this.#goOn(lane);
    } else if (outcome.kind === 'later') this.#backOff(lane, outcome.code);
    else {
      try {
        await this.#exits.setAside(lane.waiting[0]!, outcome.code);
        this.#setAside++;
        this.#goOn(lane);
      } catch {
        this.#backOff(lane, `${outcome.code}, and the queue does not take it`);
      }
    }
  }

  #goOn(lane: Lane): void {
    lane.waiting.shift();
    lane.failures = 0;
  }

  /** With full jitter, as `lib/table/retry.ts`. */
  #backOff(lane: Lane, why: string): void {
    this.#why = why;
    lane.failures++;
    const longestMs = Math.min(longestWaitMs(lane.failures), Math.max(0, this.#timeLeftMs));
    lane.dueAt = Date.now() + Math.ceil(Math.random() * longestMs);
  }
}
