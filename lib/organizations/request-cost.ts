import { mostReadUnits } from '../table/read-budget.ts';
import type { Units } from '../table/units.ts';
import { weightOf } from './request-limit.ts';

/**
 * Writes that count as this many more requests are counted before they are sent. With more of them uncounted, a hundred
 * connections could use up the table's units twice before the counter is seen.
 */
const dearRequests = 3;
/** Read units that a request may take before it is counted for them: more than usual requests read. */
const readUnitsAtOnce = 175;
/** Requests that are counted before a request reads on: as many as the dearest list or search. So none is cut half-way. */
const requestsReadingOn = Math.ceil(weightOf({ read: mostReadUnits, written: 0 }));

// docs/decisions/request-limit.md
/** The cost of a request, and how much of it is counted already: in requests, by its units. */
export class RequestCost {
  readonly #taken: Units;
  /** Each request is counted once, at a cost of 1, when it is admitted. */
  #counted = 1;
  /** The part of the counted cost that may be given back at the end. */
  #returnable = 0;
  /** Units that workers are going to write for the request after its end. */
  #later = 0;

  /** `taken`: the request's units until now. What reads and writes under way are expected to take is among them. */
  constructor(taken: Units) {
    this.#taken = taken;
  }

  /** Requests to count before the next read goes on: 0 where that can wait for the end. */
  beforeReading(): number {
    const open = this.#openWith(0);
    const isFree = this.#taken.read <= readUnitsAtOnce || open <= 0;
    return isFree ? 0 : this.#count(Math.max(requestsReadingOn, open));
  }

  /** Requests to count before this many units are written: 0 where that can wait for the end. */
  beforeWriting(units: number): number {
    const open = this.#openWith(units);
    return open < dearRequests ? 0 : this.#count(open);
  }

  /** Requests to count before workers are told to write this many units: 0 where that can wait for the end. */
  beforeWritingLater(units: number): number {
    this.#later += units;
    return this.beforeWriting(0);
  }

  /** Whether more was read than may be uncounted, because reads took more than they were expected to. */
  get hasReadTooMuch(): boolean {
    return this.#taken.read > readUnitsAtOnce && this.#openWith(0) > 0;
  }

  /** Requests to count at the end: below 0 where the request took less than was counted before. */
  atEnd(): number {
    return this.#count(Math.max(0 - this.#returnable, this.#openWith(0)));
  }

  /** The counter has these requests: what the request does not take of them is given back at its end. */
  noteCounted(requests: number): void {
    this.#returnable += requests;
  }

  /** The counter had no room for these requests: the request is refused, and counts only by what it took. */
  noteRefused(requests: number): void {
    this.#counted -= requests;
    this.#returnable += 1;
  }

  /** Requests that are not counted yet, if this many units more are written. */
  #openWith(units: number): number {
    const { read, written } = this.#taken;
    return weightOf({ read, written: written + this.#later + units }) - this.#counted;
  }

  #count(requests: number): number {
    this.#counted += requests;
    return requests;
  }
}
