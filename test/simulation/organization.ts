import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { isRouted, loadOperations } from '../../infra/operations.ts';
import { readData } from '../../lib/admission/admission.ts';
import { replyTo } from '../../lib/admission/run.ts';
import { ApiError, type ErrorDetail } from '../../lib/errors/errors.ts';
import type { AnyOperation } from '../../lib/operations/kinds/operation.ts';
import {
  organizationInput,
  type ProvisionedOrganization,
  provision,
} from '../../lib/provisioning/provisioning.ts';
import type { IfMatch } from '../../lib/schema/etag.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { isFinal } from '../faults/client.ts';
import { pick, type Random } from '../support/random.ts';
import type { BadDay } from './bad-day.ts';
import type { World } from './world.ts';

/** What is asked of an operation. A body is checked and completed as the chain does. */
export interface Request {
  path?: Record<string, string>;
  body?: object;
  key?: string | undefined;
  ifMatch?: IfMatch;
}

/** Something that callers do. */
export type Action = () => Promise<unknown>;

export interface Answer {
  status?: number;
  code?: string;
  details?: readonly ErrorDetail[] | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
  body?: any;
}

const operations = new Map(
  (await loadOperations()).filter(isRouted).map(({ operation }) => [operation.id, operation]),
);

/** By how much the clocks of functions differ, in milliseconds. */
const skews = [0, 0, 700, 2000, -2000];
/** How long a function may try, in milliseconds. */
const patiences = [9500, 9500, 500];
/** How often a caller asks at most. */
const tries = 12;

/** An organization, its owner, and what they were answered at last to each request under a key. */
export class Organization {
  readonly id = randomUUID();
  readonly answers = new Map<string, Answer[]>();
  readonly world: World;
  readonly store: BadDay;
  readonly #userId = randomUUID();

  constructor(world: World, store: BadDay) {
    this.world = world;
    this.store = store;
  }

  get next(): Random {
    return this.world.next;
  }

  /** Makes it, with these pipelines or this wallet. */
  async provision(more: object): Promise<ProvisionedOrganization> {
    const members = [{ user_id: this.#userId, role: 'owner' }];
    const input = z.parse(organizationInput, { name: 'Cedro', members, ...more });
    const table = this.store.table(Number.POSITIVE_INFINITY);
    return (await provision(table, this.id, input, this.#origin())).organization;
  }

  #origin() {
    return { by: this.#userId, requestId: randomUUID() };
  }

  /** Does the work as a function does: with a clock and a time limit of its own. */
  async within(work: (table: TableClient) => Promise<Answer>): Promise<Answer> {
    return this.world.skewed(pick(this.next, skews), async () => {
      try {
        return await work(this.store.table(Date.now() + pick(this.next, patiences)));
      } catch (error) {
        if (!(error instanceof ApiError) || error.code === 'internal') throw error;
        const { code, details } = error;
        return { code, details };
      }
    });
  }

  /** Asks until there is a final answer, or it loses patience. */
  async insist(work: (table: TableClient) => Promise<Answer>): Promise<Answer> {
    for (let left = tries; ; left--) {
      const answer = await this.within(work);
      if (left === 1 || isFinal(answer)) return answer;
    }
  }

  /** Asks an operation of the API so, sometimes twice at once. */
  async ask(operation: string, request: Request): Promise<Answer> {
    const once = () => this.insist((table) => this.reply(operation, request, table));
    const isTwice = request.key !== undefined && this.next() < 0.2;
    const all = await Promise.all(isTwice ? [once(), once()] : [once()]);
    if (request.key !== undefined) this.answers.set(`${operation} ${request.key}`, all);
    return all[0]!;
  }

  /** Replies to it once, as the function does. */
  async reply(
    name: string,
    { path = {}, body, key, ifMatch }: Request,
    table: TableClient,
  ): Promise<Answer> {
    const operation = operations.get(name) as AnyOperation;
    const call = {
      organizationId: this.id,
      userId: this.#userId,
      origin: this.#origin(),
      role: 'owner' as const,
      spender: undefined,
      assertAllowed: async () => {},
      limit: { countWhole: async () => {}, pace: async () => {}, countLater: async () => {} },
      path,
      query: {},
      body: body && z.parse(operation.request.body!, body),
      ifMatch,
      now: Date.now(),
    };
    const data = await readData(operation, { value: { call } }, table);
    const counting = Promise.resolve();
    const admitted = { call, idempotencyKey: key, json: undefined, data, counting };
    const reply = await replyTo(operation, admitted, table);
    return { status: reply.status ?? operation.response.status, body: reply.body };
  }
}

/** Throws where a key had two answers, but for those that may be another. */
export const assertOneAnswerEach = (
  answers: ReadonlyMap<string, readonly Answer[]>,
  isFree: (answer: Answer) => boolean = () => false,
): void => {
  for (const [name, all] of answers) {
    const final = all.filter((answer) => isFinal(answer) && !isFree(answer));
    const different = new Set(final.map((answer) => JSON.stringify(answer)));
    assert(different.size <= 1, `${name} was answered ${[...different].join(' and ')}`);
  }
};
