import { createHash } from 'node:crypto';
import type { State } from './state.ts';

/** A message of a queue. */
export interface Message {
  /** Greater than that of each message before it. */
  position: number;
  id: string;
  body: string;
  /** Whose message it is. Messages without a group are not counted. */
  group: string | undefined;
  /** Milliseconds since the epoch, as what follows. */
  sentAt: number;
  /** The time before which nobody receives it. */
  visibleAt: number;
  receiveCount: number;
  /** Deliveries that failed. A delivery that ended with the runner did not fail. */
  failures: number;
  /** When this run first received it; not kept, as nothing is tried while the runner is off. */
  firstReceivedAt?: number;
}

/** The parts of a message that are known when it is sent. */
export type NewMessage = Pick<Message, 'body' | 'group' | 'sentAt' | 'visibleAt'> & { id: string };

/** The messages of queues, in the runner's state. */
export class Messages {
  readonly #state: State;
  readonly #statements;

  constructor(state: State) {
    this.#state = state;
    const prepare = (sql: string) => state.database.prepare(sql);
    this.#statements = {
      add: prepare(
        'INSERT INTO messages (queue, id, body, "group", sent_at, visible_at, receive_count, failures) VALUES (?, ?, ?, ?, ?, ?, 0, 0)',
      ),
      of: prepare('SELECT * FROM messages WHERE queue = ? ORDER BY position'),
      update: prepare(
        'UPDATE messages SET visible_at = ?, receive_count = ?, failures = ? WHERE position = ?',
      ),
      remove: prepare('DELETE FROM messages WHERE position = ?'),
      bury: prepare('UPDATE messages SET source = queue, queue = ? WHERE position = ?'),
      redrive: prepare(
        'UPDATE messages SET queue = source, receive_count = 0, failures = 0 WHERE queue = ? AND source = ?',
      ),
      count: prepare('SELECT count(*) AS count FROM messages WHERE queue = ?'),
      forget: prepare('DELETE FROM sent WHERE until <= ?'),
      sent: prepare('SELECT id FROM sent WHERE queue = ? AND digest = ?'),
      note: prepare('INSERT INTO sent VALUES (?, ?, ?, ?)'),
    };
  }

  /** Keeps a message of a queue, after all others. */
  add(queue: string, message: NewMessage): Message {
    const { id, body, group, sentAt, visibleAt } = message;
    const { lastInsertRowid } = this.#statements.add.run(
      ...[queue, id, body, group ?? null, sentAt, visibleAt],
    );
    return { ...message, position: Number(lastInsertRowid), receiveCount: 0, failures: 0 };
  }

  /** A queue's messages in their order. */
  of(queue: string): Message[] {
    return this.#statements.of.all(queue).map((row) => ({
      position: row.position as number,
      id: row.id as string,
      body: row.body as string,
      group: (row.group as string | null) ?? undefined,
      sentAt: row.sent_at as number,
      visibleAt: row.visible_at as number,
      receiveCount: row.receive_count as number,
      failures: row.failures as number,
    }));
  }

  count(queue: string): number {
    return this.#statements.count.get(queue)!.count as number;
  }

  /** Keeps what has become of messages that stay in their queue. */
  update(messages: readonly Message[]): void {
    this.#state.transaction(() => {
      for (const { visibleAt, receiveCount, failures, position } of messages) {
        this.#statements.update.run(visibleAt, receiveCount, failures, position);
      }
    });
  }

  remove({ position }: Message): void {
    this.#statements.remove.run(position);
  }

  /** Puts a message that was given up into the queue of dead letters. */
  bury({ position }: Message, deadLetters: string): void {
    this.#statements.bury.run(deadLetters, position);
  }

  /** Puts a queue's dead letters back into it. */
  redrive(deadLetters: string, queue: string): void {
    this.#statements.redrive.run(deadLetters, queue);
  }

  /** The id of an equal message that was sent before, where it is remembered. */
  findSent(queue: string, content: string): string | undefined {
    this.#statements.forget.run(Date.now());
    return this.#statements.sent.get(queue, digestOf(content))?.id as string | undefined;
  }

  /** Remembers what was sent until a time, in milliseconds since the epoch. */
  noteSent(queue: string, content: string, id: string, until: number): void {
    this.#statements.note.run(queue, digestOf(content), id, until);
  }
}

const digestOf = (content: string): string => createHash('sha256').update(content).digest('hex');
