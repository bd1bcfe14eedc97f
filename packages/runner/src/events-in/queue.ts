import { createHash, randomUUID } from 'node:crypto';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { region } from '../account.ts';
import type { Invocation } from '../lambda/runtime-process.ts';
import { type Message, Messages } from '../state/messages.ts';
import { State } from '../state/state.ts';
import type { QueueSettings } from '../template/queues.ts';
import { FairPool, FifoPool, type MessagePool } from './message-pool.ts';

type Settings = Omit<QueueSettings, 'url' | 'functionLogicalId'>;

/** What takes messages. */
export interface MessageQueue {
  /** Keeps a message, and answers its id. Nobody receives it for as many milliseconds as the delay. */
  send(body: string, delayMs?: number, group?: string): string;
  /** Shows what may be seen by now, where the clock was moved. */
  lookAgain(): void;
  close(): void;
}

interface Consumer {
  invoke: (event: SQSEvent) => Promise<Invocation>;
  /** Told of each message that was given up. */
  deadLetter: (message: Message) => void;
}

/** How long SQS knows what was sent to a queue that deduplicates. */
const deduplicationMs = 5 * 60 * 1000;

/** As many batches at once as Lambda starts with. */
const batchesAtOnce = 5;

/** The longest that a message is not to be seen: a delay. Clocks may have been set back since. */
const mostHiddenMs = 15 * 60 * 1000;

/**
 * How long a failed message is not to be seen. In AWS that is the queue's visibility timeout, mostly a
 * minute. Nobody waits for that here, unless the message keeps failing.
 */
const invisibleMs = (failures: number): number => Math.min(60_000, 100 * 2 ** (failures - 1));

/** A queue, and the event source mapping that empties it into a function. It goes on with what the runner's state has of it. */
export class LocalQueue implements MessageQueue {
  readonly #settings: Settings;
  readonly #consumer: Consumer;
  readonly #state: State;
  readonly #messages: Messages;
  readonly #pool: MessagePool;
  readonly #timers = new Map<NodeJS.Timeout, Message>();
  #batches = 0;
  #closed = false;

  constructor(settings: Settings, consumer: Consumer, state = new State()) {
    this.#settings = settings;
    this.#consumer = consumer;
    this.#state = state;
    this.#messages = new Messages(state);
    this.#pool = settings.fifo ? new FifoPool() : new FairPool();
    for (const message of this.#messages.of(settings.logicalId)) {
      if (message.failures > 0) this.#pool.hold(message);
      this.#wait(message);
    }
  }

  send(body: string, delay = 0, group?: string): string {
    return this.#state.transaction(() => {
      const { logicalId, fifo } = this.#settings;
      const content = `${group} ${body}`;
      const earlier = fifo?.deduplicates && this.#messages.findSent(logicalId, content);
      if (earlier) return earlier;
      const [id, sentAt] = [randomUUID(), Date.now()];
      const visibleAt = sentAt + delay;
      this.#wait(this.#messages.add(logicalId, { id, body, group, sentAt, visibleAt }));
      if (fifo?.deduplicates) {
        this.#messages.noteSent(logicalId, content, id, sentAt + deduplicationMs);
      }
      return id;
    });
  }

  /** Delivers nothing more. What is in the queue comes in the next run. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers.keys()) clearTimeout(timer);
  }

  lookAgain(): void {
    for (const [timer, message] of [...this.#timers]) {
      clearTimeout(timer);
      this.#timers.delete(timer);
      this.#wait(message);
    }
  }

  /** Shows a message once it may be seen. */
  #wait(message: Message): void {
    const waitMs = Math.min(message.visibleAt - Date.now(), mostHiddenMs);
    if (waitMs <= 0) {
      this.#show(message);
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#show(message);
    }, waitMs);
    this.#timers.set(timer, message);
  }

  /** Lets a message be received. One that failed counted as taken until now. */
  #show(message: Message): void {
    if (message.failures > 0) this.#pool.release(message);
    this.#pool.add(message);
    // What is sent together may be in one batch.
    setImmediate(() => this.#deliver());
  }

  #deliver(): void {
    const atOnce = Math.min(this.#settings.atOnce ?? batchesAtOnce, batchesAtOnce);
    while (!this.#closed && this.#batches < atOnce) {
      const batch = this.#pool.take(this.#settings.batchSize);
      if (batch.length === 0) return;
      this.#batches++;
      // An invocation that fails is an outcome: what rejects is a mistake of the runner's own, and ends the process.
      void this.#handle(batch).finally(() => {
        this.#batches--;
        this.#deliver();
      });
    }
  }

  async #handle(batch: readonly Message[]): Promise<void> {
    for (const message of batch) {
      message.receiveCount++;
      message.firstReceivedAt ??= Date.now();
    }
    this.#messages.update(batch);
    const event = { Records: batch.map((message) => this.#toRecord(message)) };
    const outcome = await this.#consumer.invoke(event).catch(
      (error: Error): Invocation => ({
        kind: 'error',
        errorType: error.name,
        errorMessage: error.message,
      }),
    );
    if (this.#closed) return;
    const failed = failedIn(batch, outcome, this.#settings.partialResponses);
    this.#state.transaction(() => {
      for (const message of batch) {
        if (failed.has(message.id)) this.#fail(message);
        else {
          this.#messages.remove(message);
          this.#pool.release(message);
        }
      }
    });
  }

  #fail(message: Message): void {
    message.failures++;
    if (message.failures < this.#settings.maxReceiveCount) {
      message.visibleAt = Date.now() + invisibleMs(message.failures);
      this.#messages.update([message]);
      this.#wait(message);
      return;
    }
    this.#messages.bury(message, this.#settings.deadLetters);
    this.#pool.release(message);
    this.#consumer.deadLetter(message);
  }

  #toRecord(message: Message): SQSRecord {
    const { id, body, sentAt, receiveCount, firstReceivedAt } = message;
    return {
      messageId: id,
      receiptHandle: randomUUID(),
      body,
      attributes: {
        ApproximateReceiveCount: String(receiveCount),
        SentTimestamp: String(sentAt),
        SenderId: 'local',
        ApproximateFirstReceiveTimestamp: String(firstReceivedAt),
      },
      messageAttributes: {},
      md5OfBody: createHash('md5').update(body).digest('hex'),
      eventSource: 'aws:sqs',
      eventSourceARN: this.#settings.arn,
      awsRegion: region,
    };
  }
}

/**
 * Ids of the messages to deliver again: those that the function names; all of them if it failed, or
 * names one that is not in the batch.
 */
const failedIn = (
  batch: readonly Message[],
  outcome: Invocation,
  partialResponses: boolean,
): Set<string> => {
  const all = new Set(batch.map(({ id }) => id));
  if (outcome.kind === 'error') return all;
  if (!partialResponses) return new Set();
  const answer = JSON.parse(outcome.payload ?? 'null') as {
    batchItemFailures?: { itemIdentifier: string }[];
  } | null;
  const failed = (answer?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return failed.every((id) => all.has(id)) ? new Set(failed) : all;
};
