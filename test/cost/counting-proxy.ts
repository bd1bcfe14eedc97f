import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { passOnTo } from '@leads-and-stars/runner';

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

/** Stands in front of an engine, and notes what each request to it used. */
export class CountingProxy {
  readonly #engine: string;
  readonly #server: Server;
  #delay = 0;
  #requests: TableRequest[] = [];

  private constructor(engine: string) {
    this.#engine = engine;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch(() => request.socket.destroy());
    });
  }

  static async start(engine: string): Promise<CountingProxy> {
    const proxy = new CountingProxy(engine);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Holds back each answer for so long that requests which don't wait for one another overlap. */
  delayAnswers(milliseconds: number): void {
    this.#delay = milliseconds;
  }

  /** The requests since this was last asked. */
  take(): TableRequest[] {
    return this.#requests.splice(0);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const from = performance.now();
    const body = JSON.parse((await buffer(request)).toString());
    const counted = body.ReturnConsumedCapacity !== undefined;
    const answered = await passOnTo(this.#engine)(
      request.headers,
      JSON.stringify(counted ? { ...body, ReturnConsumedCapacity: 'INDEXES' } : body),
    );
    const reply = answered.body;
    if (this.#delay > 0) await wait(this.#delay);
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    if (counted) {
      const used = unitsOf(JSON.parse(reply.toString()).ConsumedCapacity);
      const writes = operation === 'TransactWriteItems';
      const [read, write] = writes ? [{}, used] : [used, {}];
      const written = writes ? kindsOf(body.TransactItems) : [];
      this.#requests.push({ operation, from, to: performance.now(), read, write, written });
    }
    response
      .writeHead(answered.status, { 'content-type': 'application/x-amz-json-1.0' })
      .end(reply);
  }
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
