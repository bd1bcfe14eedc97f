import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { TableClient } from '../../lib/table/client.ts';
import type { Key } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/table.ts';
import { FaultStore, type StoreStep } from '../support/faults/fault-store.ts';
import { chance, pick } from '../support/random.ts';
import type { World } from './world.ts';

const writeFaults = ['conflict', 'request lost', 'reply lost', 'late'] as const;

/** The most turns that a write is late, when its sender has given up. */
const latest = 40;

/**
 * The table, as functions find DynamoDB on a bad day: requests and answers are lost, transactions conflict, what was
 * given up arrives all the same, and the items of a batch are each read at a moment of their own.
 */
export class BadDay {
  /** Of a hundred writes, so many fail; of reads, a tenth as many. */
  faults = 0;
  /** What became of writes, by how many. */
  readonly outcomes = new Map<string, number>();
  readonly #keys = new Map<string, Key>();
  readonly #world: World;
  #hasEnded = false;
  readonly #store: FaultStore;

  constructor(world: World, table: { endpoint: string; name: string }) {
    this.#world = world;
    this.#store = new FaultStore(this.#step, table);
  }

  /** The table for a request that may write until then. */
  table(deadline: number): TableClient {
    return this.#store.table({ deadline });
  }

  /** Each item that was ever written and is there, once the world has ended. */
  async items(): Promise<Item[]> {
    this.#hasEnded = true;
    const table = this.table(Number.POSITIVE_INFINITY);
    return (await table.getAll([...this.#keys.values()])).filter((item) => item !== undefined);
  }

  readonly #step: StoreStep = ({ operation, input }, pass) => {
    if (this.#hasEnded) return pass();
    const reach: typeof pass = (other) => this.#world.turn(() => pass(other));
    if (operation === 'TransactWrite') return this.#write(input, reach);
    return operation === 'BatchGet' ? this.#readInTwo(input, reach) : this.#read(reach);
  };

  async #read<T>(reach: () => Promise<T>): Promise<T> {
    if (!chance(this.#world.next, this.faults / 1000)) return reach();
    await this.#world.letPass(1);
    throw lost();
  }

  async #readInTwo(
    { RequestItems }: { RequestItems: Record<string, { Keys: Key[] }> },
    reach: (input: object) => Promise<{ Responses: Record<string, Item[]> }>,
  ) {
    const [name, { Keys, ...options }] = Object.entries(RequestItems)[0]!;
    const half = Math.floor(this.#world.next() * (Keys.length + 1));
    const parts = [Keys.slice(0, half), Keys.slice(half)].filter((part) => part.length > 0);
    const requests = parts.map((Keys) => ({ RequestItems: { [name]: { ...options, Keys } } }));
    const replies = await Promise.all(requests.map((one) => this.#read(() => reach(one))));
    return { Responses: { [name]: replies.flatMap(({ Responses }) => Responses[name] ?? []) } };
  }

  async #write(input: TransactWriteCommandInput, reach: () => Promise<unknown>): Promise<unknown> {
    this.#remember(input);
    const { next } = this.#world;
    const fault = chance(next, this.faults / 100) ? pick(next, writeFaults) : 'well';
    this.outcomes.set(fault, (this.outcomes.get(fault) ?? 0) + 1);
    if (fault === 'well') return reach();
    if (fault === 'late') {
      const late = this.#world.letPass(1 + Math.floor(next() * latest)).then(reach);
      late.catch(() => {});
    }
    if (fault === 'reply lost') await reach().catch(() => {});
    else await this.#world.letPass(1);
    throw fault === 'conflict' ? conflictOf(input) : lost();
  }

  #remember({ TransactItems = [] }: TransactWriteCommandInput): void {
    for (const { Put, Update } of TransactItems) {
      const { pk, sk } = (Put?.Item ?? Update?.Key ?? {}) as Partial<Key>;
      if (pk !== undefined && sk !== undefined) this.#keys.set(`${pk} ${sk}`, { pk, sk });
    }
  }
}

const lost = (): Error => Object.assign(new Error('no answer'), { name: 'TimeoutError' });

const conflictOf = ({ TransactItems = [] }: TransactWriteCommandInput): Error =>
  new TransactionCanceledException({
    message: 'injected',
    $metadata: { httpStatusCode: 400 },
    CancellationReasons: TransactItems.map((_, i) => ({
      Code: i === 0 ? 'TransactionConflict' : 'None',
    })),
  });
