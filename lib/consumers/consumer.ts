import { feedIdOf } from '../changes/feed.ts';
import type { Wake, Wakes } from '../queues/wakes.ts';
import { ConflictError } from '../table/retry.ts';
import type { Table } from '../table/table.ts';
import { dueCheckIntervalMs } from './due-times.ts';
import type { Follower } from './follower.ts';

/** Milliseconds after which a worker looks again: a change may have its number and not be readable yet. */
const indexLagMs = 1000;
/** Milliseconds by which a wake may come early: clocks of functions differ. */
const earlyByMs = 4000;

/** What a consumer is given. */
export interface ConsumerContext {
  table: Table<'GetItem'>;
  wakes: Wakes;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Something that is done with the feeds of organizations, by items that follow them. */
export interface Consumer<F extends Follower, C extends ConsumerContext> {
  /** Names its wakes and due times. */
  name: string;
  /** An organization's followers, or the follower with this id. */
  find(context: C, organizationId: string, id: string | undefined): Promise<readonly F[]>;
  idOf(item: F): string;
  /** The number of the last of what it follows, strongly consistent. */
  readHead(context: C, organizationId: string): Promise<number>;
  /** Whether there is something to do now, by that number. */
  hasWork(item: F, head: number, now: number): boolean;
  /** Whether the follower is due at another time than is stored: a session writes that. */
  isDueElse(organizationId: string, item: F, now: number): boolean;
  /** Does what there is, under the lease. Throws `ConflictError` where another has it, or takes it. */
  work(context: C, organizationId: string, item: F): Promise<unknown>;
  /** The feed is another, as in a table that was restored: its numbers may mean other changes. */
  meetOtherFeed(context: C, organizationId: string, item: F): Promise<void>;
}

/**
 * Looks at the followers that a wake names, side by side, and has each do what there is. If another worker has one, it is
 * left to that worker, which looks again before it ends. But if the queue redelivers the wake, that worker may have died:
 * then the wake is put back until the lease has ended.
 */
export const follow = async <F extends Follower, C extends ConsumerContext>(
  consumer: Consumer<F, C>,
  context: C,
  wake: Wake,
  isRedelivered: boolean,
): Promise<void> => {
  if ((wake.consumer ?? consumer.name) !== consumer.name) return;
  const items = await consumer.find(context, wake.organization_id, wake.id);
  const results = await Promise.allSettled(
    items.map((item) =>
      new Look(consumer, context, wake.organization_id, item).take(isRedelivered),
    ),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
};

/** One look of a worker at one follower. */
class Look<F extends Follower, C extends ConsumerContext> {
  readonly #consumer: Consumer<F, C>;
  readonly #context: C;
  readonly #organizationId: string;
  readonly #before: F;
  readonly #wake: Wake;

  constructor(consumer: Consumer<F, C>, context: C, organizationId: string, item: F) {
    this.#consumer = consumer;
    this.#context = context;
    this.#organizationId = organizationId;
    this.#before = item;
    const { name } = consumer;
    this.#wake = { organization_id: organizationId, consumer: name, id: consumer.idOf(item) };
  }

  async take(isRedelivered: boolean): Promise<void> {
    const { wakes, now } = this.#context;
    const lease = (this.#before.lease_until ?? 0) - now();
    if (lease > 0) {
      if (isRedelivered) await wakes.send(this.#wake, lease + indexLagMs);
      return;
    }
    try {
      await this.#work();
    } catch (error) {
      // Another worker was sooner, or the follower was changed: both send a wake.
      if (!(error instanceof ConflictError)) throw error;
    }
  }

  async #work(): Promise<void> {
    const [consumer, item, organizationId] = [this.#consumer, this.#before, this.#organizationId];
    const { now } = this.#context;
    if (this.#hasOtherFeed(item)) {
      return consumer.meetOtherFeed(this.#context, organizationId, item);
    }
    const head = await consumer.readHead(this.#context, organizationId);
    const isIdle = !consumer.hasWork(item, head, now());
    if (isIdle && !consumer.isDueElse(organizationId, item, now())) {
      return this.#wakeWhenDue(item);
    }
    await consumer.work(this.#context, organizationId, item);
    await this.#lookAgain();
  }

  /** Whether the table was restored since: the checkpoint is of another feed. */
  #hasOtherFeed({ feed_id }: F): boolean {
    return feed_id !== feedIdOf(this.#organizationId);
  }

  /**
   * Looks once more when the lease is given back: a wake that came meanwhile was left to this worker. What became
   * due soon gets a wake of its own; what is due later is looked for by the schedule.
   */
  async #lookAgain(): Promise<void> {
    const { wakes, now } = this.#context;
    const [[item], head] = await Promise.all([
      this.#consumer.find(this.#context, this.#organizationId, this.#wake.id),
      this.#consumer.readHead(this.#context, this.#organizationId),
    ]);
    if (!item) return;
    if (this.#hasOtherFeed(item) || this.#consumer.hasWork(item, head, now())) {
      return wakes.send(this.#wake, item.checkpoint === this.#before.checkpoint ? indexLagMs : 0);
    }
    await this.#wakeWhenDue(item);
  }

  /**
   * Sends the wake for the next time. Where that time has not changed, its wake was sent before. But it may be the one
   * that came now: too early, by a clock that is ahead of ours.
   */
  async #wakeWhenDue({ due_at = Number.POSITIVE_INFINITY }: F): Promise<void> {
    const { wakes, now } = this.#context;
    const wait = due_at - now();
    const isSoon =
      due_at === this.#before.due_at ? wait > 0 && wait <= earlyByMs : wait < dueCheckIntervalMs;
    if (isSoon) await wakes.send(this.#wake, wait);
  }
}
