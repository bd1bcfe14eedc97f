import { randomUUID } from 'node:crypto';
import { feedIdOf } from '../../lib/changes/feed.ts';
import { numberChanges } from '../../lib/changes/numbering.ts';
import { leadFact } from '../../lib/leads/history.ts';
import type { Wake } from '../../lib/queues/wakes.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { deliver } from '../../lib/webhooks/delivery/worker.ts';
import type { PostResult } from '../../lib/webhooks/endpoint/endpoint.ts';
import { newSecret } from '../../lib/webhooks/endpoint/secrets.ts';
import { readWebhook } from '../../lib/webhooks/stored-webhook.ts';
import { newWebhook } from '../../lib/webhooks/webhook.ts';
import { createWebhookWrites } from '../../lib/webhooks/writes.ts';
import { FaultStore, type StoreStep } from './faults/fault-store.ts';
import { putOrganizationItem } from './items.ts';
import { historyKey } from './keys.ts';
import { commitIn } from './origin.ts';

export const ok: PostResult = { status: 200, failure: null };
export const down: PostResult = { status: 500, failure: null };

export interface Posted {
  sequence: number;
  lead_id: string;
}

/** An organization with a webhook, and a world around its workers in which time passes as the test says. */
export class World {
  readonly organizationId = randomUUID();
  readonly webhookId = randomUUID();
  now = Date.parse('2026-11-22T00:00:00Z');
  readonly posted: Posted[] = [];
  readonly wakes: { wake: Wake; delay: number }[] = [];
  atOnce: Posted[] = [];
  /** Posts at once at most so far, and whether two of them were of one lead. */
  most = 0;
  doubled = false;
  /** Endpoints that were opened and not closed. */
  open = 0;
  /** Units that the workers read and wrote. */
  readonly cost = { read: 0, write: 0 };
  /** What happens to a worker's requests to the table. */
  step: StoreStep = (_, pass) => pass();
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }
  /** What an endpoint does with a post. */
  answer: (change: Posted) => PostResult | Promise<PostResult> = () => ok;

  static async with(table: TableClient, leads: number, versions: number): Promise<World> {
    const world = new World(table);
    const { organizationId, webhookId, now } = world;
    await table.transact([putOrganizationItem(organizationId)]);
    const item = newWebhook(organizationId, webhookId, {
      input: { url: 'https://hooks.example.com/' },
      userId: randomUUID(),
      checkpoint: 0,
      feedId: feedIdOf(organizationId),
      secret: newSecret(now),
      now,
    });
    await commitIn(table)(createWebhookWrites(organizationId, item, now));
    const ids = Array.from({ length: leads }, () => randomUUID());
    for (let version = 1; version <= versions; version++) await world.change(ids, version);
    return world;
  }

  /** A change of each of these leads, with its number. */
  async change(leadIds: string[], version: number): Promise<void> {
    const { organizationId } = this;
    const at = new Date().toISOString();
    const change = {
      type: 'lead.updated' as const,
      version,
      at,
      after: undefined,
    };
    await commitIn(this.#table)(
      leadIds.map((id) => leadFact(organizationId, { ...change, before: { id } as never })),
    );
    const entries = leadIds.map((id) => ({ pk: historyKey(organizationId, id, 0).pk, version }));
    await numberChanges(this.#table, organizationId, entries);
  }

  get around() {
    return {
      table: this.#metered.table(),
      now: () => this.now,
      wakes: {
        send: async (wake: Wake, delay = 0) => {
          this.wakes.push({ wake, delay });
        },
      },
      openEndpoint: () => {
        this.open++;
        return {
          post: async (body: string) => {
            const change = JSON.parse(body) as Posted;
            this.posted.push(change);
            this.atOnce.push(change);
            this.#look();
            const answer = await this.answer(change);
            this.atOnce = this.atOnce.filter((one) => one !== change);
            return answer;
          },
          close: () => {
            this.open--;
          },
        };
      },
    };
  }

  #look(): void {
    const leads = this.atOnce.map(({ lead_id }) => lead_id);
    this.most = Math.max(this.most, leads.length);
    this.doubled ||= new Set(leads).size < leads.length;
  }

  /** The table, with the units of each request added up. */
  readonly #metered = new FaultStore(async (request, pass) => {
    const output = (await this.step(request, pass)) as Awaited<ReturnType<typeof pass>>;
    const kind = request.operation === 'TransactWrite' ? 'write' : 'read';
    for (const { CapacityUnits = 0 } of [output.ConsumedCapacity ?? []].flat()) {
      this.cost[kind] += CapacityUnits;
    }
    return output;
  });

  work(again = false): Promise<void> {
    return deliver(this.around, { organization_id: this.organizationId }, again);
  }

  get item() {
    return readWebhook(this.#table, this.organizationId, this.webhookId);
  }

  get sequences(): number[] {
    return this.posted.map(({ sequence }) => sequence);
  }
}
