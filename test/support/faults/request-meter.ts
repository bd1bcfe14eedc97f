import { setTimeout as wait } from 'node:timers/promises';
import type { Step } from './step.ts';

/** Capacity units, by what they were used on: `table` or the name of an index. */
export type Units = Record<string, number>;

/** A request of a function to DynamoDB. */
export interface TableRequest {
  operation: string;
  /** Milliseconds of the monotonic clock. */
  from: number;
  to: number;
  read: Units;
  write: Units;
  /** What kind each written item is: how its partition key begins. */
  written: string[];
}

const writes = new Set(['TransactWriteItems', 'UpdateItem']);

/** Notes what each request to an engine used. */
export class RequestMeter {
  #delayMs = 0;
  readonly #requests: TableRequest[] = [];
  readonly #underWay = new Set<Promise<unknown>>();

  /** Holds back each reply for so long that requests which don't wait for one another overlap. */
  delayReplies(milliseconds: number): void {
    this.#delayMs = milliseconds;
  }

  /** The requests since this was last asked. It waits for those under way: one may be a try that its sender gave up. */
  async take(): Promise<TableRequest[]> {
    await Promise.allSettled(this.#underWay);
    return this.#requests.splice(0);
  }

  readonly step: Step = (request, pass) => {
    const metered = this.#meter(request, pass).finally(() => this.#underWay.delete(metered));
    this.#underWay.add(metered);
    return metered;
  };

  readonly #meter: Step = async (request, pass) => {
    const from = performance.now();
    const input = JSON.parse(request.body.toString());
    const isMetered = input.ReturnConsumedCapacity !== undefined;
    const body = Buffer.from(JSON.stringify({ ...input, ReturnConsumedCapacity: 'INDEXES' }));
    const reply = await pass(isMetered ? { ...request, body } : request);
    if (this.#delayMs > 0) await wait(this.#delayMs);
    if (isMetered) {
      const used = unitsOf(JSON.parse(reply.body.toString()).ConsumedCapacity);
      const [read, write] = writes.has(request.operation) ? [{}, used] : [used, {}];
      const written = kindsOf(input.TransactItems ?? []);
      const { operation } = request;
      this.#requests.push({ operation, from, to: performance.now(), read, write, written });
    }
    return reply;
  };
}

interface KeyOrItem {
  Key?: { pk: { S: string } };
  Item?: { pk: { S: string } };
}

const kindsOf = (writes: Record<string, KeyOrItem>[]): string[] =>
  writes
    .flatMap((write) => Object.values(write))
    .map(({ Key, Item }) => (Key ?? Item)?.pk.S.split('#')[0] ?? '');

interface Consumed {
  Table?: { CapacityUnits?: number };
  GlobalSecondaryIndexes?: Record<string, { CapacityUnits?: number }>;
}

const unitsOf = (consumed: Consumed | Consumed[] | undefined): Units => {
  const units: Units = {};
  const add = (name: string, more = 0) => {
    if (more > 0) units[name] = (units[name] ?? 0) + more;
  };
  for (const { Table, GlobalSecondaryIndexes = {} } of [consumed ?? []].flat()) {
    add('table', Table?.CapacityUnits);
    for (const [name, { CapacityUnits }] of Object.entries(GlobalSecondaryIndexes)) {
      add(name, CapacityUnits);
    }
  }
  return units;
};

export const sum = (units: Units): number => Object.values(units).reduce((a, b) => a + b, 0);

/**
 * The longest chain of requests of which each began when the one before had been answered. Whoever is
 * slow to send what need not wait can only make it longer.
 */
export const roundTrips = (requests: readonly TableRequest[]): number => {
  let trips = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from, to } of requests.toSorted((a, b) => a.to - b.to)) {
    if (from < end) continue;
    trips++;
    end = to;
  }
  return trips;
};
