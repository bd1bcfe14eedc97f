import type { Message } from '../state/messages.ts';

/** The messages that can be received, and what is known of those that were: which comes next is the queue's kind. */
export interface MessagePool {
  add(message: Message): void;
  /** Takes the next messages, `most` at most. */
  take(most: number): Message[];
  /** Counts a message as taken that was not added. */
  hold(message: Message): void;
  /** A message that was taken was deleted, or can be received again. */
  release(message: Message): void;
}

/** How many messages of each group were taken and not released. */
class TakenCounts {
  readonly #counts = new Map<string, number>();

  of({ group = '' }: Message): number {
    return this.#counts.get(group) ?? 0;
  }

  add({ group }: Message, more: number): void {
    if (group === undefined) return;
    const count = (this.#counts.get(group) ?? 0) + more;
    if (count === 0) this.#counts.delete(group);
    else this.#counts.set(group, count);
  }
}

/** The oldest message of the group that has the fewest taken, as SQS does with those that keep a queue busy. */
export class FairPool implements MessagePool {
  readonly #visible: Message[] = [];
  readonly #taken = new TakenCounts();

  add(message: Message): void {
    this.#visible.push(message);
  }

  take(most: number): Message[] {
    return Array.from({ length: Math.min(most, this.#visible.length) }, () => this.#next());
  }

  hold(message: Message): void {
    this.#taken.add(message, 1);
  }

  release(message: Message): void {
    this.#taken.add(message, -1);
  }

  #next(): Message {
    const countOf = (i: number) => this.#taken.of(this.#visible[i]!);
    let best = 0;
    for (let i = 1; i < this.#visible.length && countOf(best) > 0; i++) {
      if (countOf(i) < countOf(best)) best = i;
    }
    const [message] = this.#visible.splice(best, 1);
    this.#taken.add(message!, 1);
    return message!;
  }
}

/** Gives each group's messages in their order, and none while other messages of the group are taken. */
export class FifoPool implements MessagePool {
  readonly #visible = new Map<string, Message[]>();
  readonly #taken = new TakenCounts();

  add(message: Message): void {
    const ofGroup = this.#visible.get(message.group!) ?? [];
    const before = ofGroup.findLastIndex(({ position }) => position < message.position);
    ofGroup.splice(before + 1, 0, message);
    this.#visible.set(message.group!, ofGroup);
  }

  take(most: number): Message[] {
    const batch: Message[] = [];
    for (const [group, ofGroup] of this.#visible) {
      if (batch.length === most) break;
      if (this.#taken.of(ofGroup[0]!) > 0) continue;
      batch.push(...ofGroup.splice(0, most - batch.length));
      // The group goes to the end, so that each group has its turn.
      this.#visible.delete(group);
      if (ofGroup.length > 0) this.#visible.set(group, ofGroup);
    }
    for (const message of batch) this.#taken.add(message, 1);
    return batch;
  }

  hold(message: Message): void {
    this.#taken.add(message, 1);
  }

  release(message: Message): void {
    this.#taken.add(message, -1);
  }
}
