import { createHash, randomUUID } from 'node:crypto';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { region } from '../account.ts';
import type { Invocation } from '../lambda/runtime-process.ts';
import type { QueueSettings } from '../template/queues.ts';
import { FairPool, FifoPool, type Message, type MessagePool } from './message-pool.ts';

type Settings = Omit<QueueSettings, 'logicalId' | 'url' | 'functionLogicalId'>;

/** What takes messages. */
export interface MessageQueue {
  /** Answers the message's id. Nobody receives the message for as many milliseconds as the delay. */
  send(body: string, delayMs?: number, group?: string): string;
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

/**
 * How long a failed message is not to be seen. In AWS that is the queue's visibility timeout, mostly a
 * minute. Nobody waits for that here, unless the message keeps failing.
 */
const invisibleMs = (receiveCount: number): number =>
  Math.min(60_000, 100 * 2 ** (receiveCount - 1));

/** A queue in memory and the event source mapping that empties it into a function. */
export class LocalQueue implements MessageQueue {
  readonly deadLetters: Message[] = [];
  readonly #settings: Settings;
  readonly #consumer: Consumer;
  readonly #pool: MessagePool;
  /** What was sent to a queue that deduplicates, by group and body: the message's id, and until when it counts. */
  readonly #sent = new Map<string, { id: string; until: number }>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #batches = 0;
  #closed = false;

  constructor(settings: Settings, consumer: Consumer) {
    this.#settings = settings;
    this.#consumer = consumer;
    this.#pool = settings.fifo ? new FifoPool() : new FairPool();
  }

  /** Answers the message's id. Nobody receives the message for as many milliseconds as the delay. */
  send(body: string, delay = 0, group?: string): string {
    const earlier = this.#settings.fifo?.deduplicates && this.#findSent(`${group} ${body}`);
    if (earlier) return earlier;
    const message = { id: randomUUID(), body, group, sentAt: Date.now(), receiveCount: 0 };
    if (this.#settings.fifo?.deduplicates) {
      this.#sent.set(`${group} ${body}`, { id: message.id, until: Date.now() + deduplicationMs });
    }
    if (delay > 0) this.#hide(message, delay);
    else this.#show(message);
    return message.id;
  }

  /** Delivers nothing more. What is in the queue is lost. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** The id of the same message, where it was sent a short time ago. */
  #findSent(name: string): string | undefined {
    for (const [old, { until }] of this.#sent) {
      if (until > Date.now()) break;
      this.#sent.delete(old);
    }
    return this.#sent.get(name)?.id;
  }

  #show(message: Message): void {
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
    for (const message of batch) message.receiveCount++;
    const event = { Records: batch.map((message) => toRecord(message, this.#settings.arn)) };
    const outcome = await this.#consumer.invoke(event).catch(
      (error: Error): Invocation => ({
        kind: 'error',
        errorType: error.name,
        errorMessage: error.message,
      }),
    );
    const failed = failedIn(batch, outcome, this.#settings.partialResponses);
    if (this.#closed) return;
    for (const message of batch) {
      if (failed.has(message.id) && message.receiveCount < this.#settings.maxReceiveCount) {
        this.#hide(message, invisibleMs(message.receiveCount));
        continue;
      }
      this.#pool.release(message);
      if (!failed.has(message.id)) continue;
      this.deadLetters.push(message);
      this.#consumer.deadLetter(message);
    }
  }

  #hide(message: Message, milliseconds: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (message.receiveCount > 0) this.#pool.release(message);
      this.#show(message);
    }, milliseconds);
    this.#timers.add(timer);
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

const toRecord = ({ id, body, sentAt, receiveCount }: Message, arn: string): SQSRecord => ({
  messageId: id,
  receiptHandle: randomUUID(),
  body,
  attributes: {
    ApproximateReceiveCount: String(receiveCount),
    SentTimestamp: String(sentAt),
    SenderId: 'local',
    ApproximateFirstReceiveTimestamp: String(sentAt),
  },
  messageAttributes: {},
  md5OfBody: createHash('md5').update(body).digest('hex'),
  eventSource: 'aws:sqs',
  eventSourceARN: arn,
  awsRegion: region,
});
