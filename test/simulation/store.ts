import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { TableClient } from '../../lib/table/client.ts';
import type { Key } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/table.ts';
import { chance, pick } from '../support/random.ts';
import type { World } from './world.ts';

const writeFaults = ['conflict', 'request lost', 'reply lost', 'late'] as const;

/** The most turns that a write is late, when its sender has given up. */
const latest = 40;

/**
 * The engine, as functions find DynamoDB on a bad day: requests and answers are lost, transactions conflict, what was
 * given up arrives all the same, and the items of a batch are each read at a moment of their own.
 */
export class Store {
  /** Of a hundred writes, so many fail; of reads, a tenth as many. */
  faults = 0;
  /** What became of writes, by how many. */
  readonly outcomes = new Map<string, number>();
  readonly #keys = new Map<string, Key>();
  readonly #world: World;
  readonly #engine: DynamoDBDocumentClient;
  readonly #name: string;

  constructor(world: World, engine: DynamoDBDocumentClient, name: string) {
    this.#world = world;
    this.#engine = engine;
    this.#name = name;
  }

  /** The table for a request that may write until then. */
  table(deadline: number): TableClient {
    const client = { send: (command: object) => this.#send(command) };
    return new TableClient(client as unknown as DynamoDBDocumentClient, this.#name, { deadline });
  }

  /** Each item that was ever written and is there, once the world has ended. */
  async items(): Promise<Item[]> {
    const table = new TableClient(this.#engine, this.#name);
    return (await table.getAll([...this.#keys.values()])).filter((item) => item !== undefined);
  }

  #send(command: object): Promise<unknown> {
    if (command instanceof TransactWriteCommand) return this.#write(command);
    if (command instanceof BatchGetCommand) return this.#readInTwo(command);
    return this.#read(command);
  }

  async #read(command: object): Promise<unknown> {
    if (!chance(this.#world.next, this.faults / 1000)) return this.#reach(command);
    await this.#world.letPass(1);
    throw lost();
  }

  async #readInTwo({ input }: BatchGetCommand) {
    const { Keys = [] } = input.RequestItems![this.#name]!;
    const half = Math.floor(this.#world.next() * (Keys.length + 1));
    const parts = [Keys.slice(0, half), Keys.slice(half)].filter((part) => part.length > 0);
    const answers = await Promise.all(
      parts.map((part) =>
        this.#read(
          new BatchGetCommand({
            RequestItems: { [this.#name]: { ...input.RequestItems![this.#name], Keys: part } },
          }),
        ),
      ),
    );
    const items = answers.flatMap(
      (answer) => (answer as { Responses: Record<string, Item[]> }).Responses[this.#name] ?? [],
    );
    return { Responses: { [this.#name]: items } };
  }

  async #write(command: TransactWriteCommand): Promise<unknown> {
    this.#remember(command.input);
    const { next } = this.#world;
    const fault = chance(next, this.faults / 100) ? pick(next, writeFaults) : 'well';
    this.outcomes.set(fault, (this.outcomes.get(fault) ?? 0) + 1);
    if (fault === 'well') return this.#reach(command);
    if (fault === 'late') {
      const turns = 1 + Math.floor(next() * latest);
      this.#world
        .letPass(turns)
        .then(() => this.#reach(command))
        .catch(() => {});
    }
    if (fault === 'reply lost') await this.#reach(command).catch(() => {});
    else await this.#world.letPass(1);
    throw fault === 'conflict' ? conflictOf(command.input) : lost();
  }

  #reach(command: object): Promise<unknown> {
    return this.#world.turn(() => this.#engine.send(command as never));
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
