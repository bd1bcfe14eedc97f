import { createHash, randomUUID } from 'node:crypto';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { region } from '../account.ts';
import type { Invocation } from '../lambda/environment.ts';
import type { QueueSettings } from '../template/queues.ts';

interface Message {
  id: string;
  body: string;
  /** Whose message it is. Messages without a group are not counted. */
  group: string | undefined;
  sentAt: number;
  receiveCount: number;
}

type Settings = Omit<QueueSettings, 'logicalId' | 'url' | 'functionLogicalId'>;

/** What takes messages. */
export interface MessageQueue {
  /** Answers the message's id. It is not to be seen for so many milliseconds. */
  send(body: string, delayMs?: number, group?: string): string;
  close(): void;
}

interface Consumer {
  invoke: (event: SQSEvent) => Promise<Invocation>;
  /** Told of each message that was given up. */
  deadLetter: (message: Message) => void;
}

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
  readonly #visible: Message[] = [];
  /** By group, how many messages are being handled. */
  readonly #underWay = new Map<string, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #batches = 0;
  #closed = false;

  constructor(settings: Settings, consumer: Consumer) {
    this.#settings = settings;
    this.#consumer = consumer;
  }

  /** Answers the message's id. It is not to be seen for so many milliseconds. */
  send(body: string, delay = 0, group?: string): string {
    const message = { id: randomUUID(), body, group, sentAt: Date.now(), receiveCount: 0 };
    if (delay > 0) this.#hide(message, delay);
    else this.#show(message);
    return message.id;
  }

  /** Delivers nothing more. What is in the queue is lost. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #show(message: Message): void {
    this.#visible.push(message);
    // What is sent together may be in one batch.
    setImmediate(() => this.#deliver());
  }

  #deliver(): void {
    const atOnce = Math.min(this.#settings.atOnce ?? batchesAtOnce, batchesAtOnce);
    while (!this.#closed && this.#visible.length > 0 && this.#batches < atOnce) {
      const batch: Message[] = [];
      while (this.#visible.length > 0 && batch.length < this.#settings.batchSize) {
        batch.push(this.#next());
      }
      this.#batches++;
      this.#handle(batch).finally(() => {
        this.#batches--;
        for (const { group } of batch) this.#addUnderWay(group, -1);
        this.#deliver();
      });
    }
  }

  /** Takes the oldest message of the group that has the fewest under way, as SQS does of those that keep it busy. */
  #next(): Message {
    const busy = ({ group = '' }: Message) => this.#underWay.get(group) ?? 0;
    let best = 0;
    for (let i = 1; i < this.#visible.length && busy(this.#visible[best]!) > 0; i++) {
      if (busy(this.#visible[i]!) < busy(this.#visible[best]!)) best = i;
    }
    const [message] = this.#visible.splice(best, 1);
    this.#addUnderWay(message!.group, 1);
    return message!;
  }

  #addUnderWay(group: string | undefined, more: number): void {
    if (group === undefined) return;
    const underWayCount = (this.#underWay.get(group) ?? 0) + more;
    if (underWayCount === 0) this.#underWay.delete(group);
    else this.#underWay.set(group, underWayCount);
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
    for (const message of batch.filter(({ id }) => failed.has(id))) {
      if (message.receiveCount < this.#settings.maxReceiveCount) {
        this.#hide(message, invisibleMs(message.receiveCount));
      } else {
        this.deadLetters.push(message);
        this.#consumer.deadLetter(message);
      }
    }
  }

  #hide(message: Message, milliseconds: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
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
