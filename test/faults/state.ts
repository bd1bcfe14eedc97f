import { isDeepStrictEqual } from 'node:util';
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { adminClient } from '@leads-and-stars/runner';
import { openHoldKind, toOpenHold } from '../../lib/billing/stored/open-hold.ts';
import { counterKind, sumByStage } from '../../lib/pipelines/counters.ts';
import { places } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/table.ts';
import { historyKey } from '../support/keys.ts';

/** Of an item, these attributes. */
const only = (names: string) => (item: Item) =>
  Object.fromEntries(names.split(' ').map((name) => [name, item[name]]));

const leadOf = only('contact_name email stage tags value_cents version');
const webhookOf = only('url types description status checkpoint version');
const apiKeyOf = only('name key_role expires_at version');
const walletNumbers = only(
  'version monthly_stars pack_stars held open_holds thresholds limits limits_version',
);
const limitOf = only('sk stars period enabled alert_at version');
const spentOf = only('sk day week month total version');
const walletOf = (wallet: Item) => {
  const { tier, status, lines = [] } = (wallet.subscription ?? {}) as Item;
  const ofLines = (lines as Item[]).map(only('tier monthly_grant_stars'));
  return { ...walletNumbers(wallet), tier, status, lines: ofLines };
};

/**
 * All that an organization has, read from the engine itself, without what differs from one run to
 * another: ids and times. Leads and pipelines go by their names.
 */
export class StateReader {
  readonly #client: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(engine: string, table: string) {
    this.#client = DynamoDBDocumentClient.from(adminClient(engine));
    this.#table = table;
  }

  /** `formerLeads`: ids of leads that may be deleted. `tags`: those that leads may have or have had. */
  async read(id: string, formerLeads: readonly string[], tags: readonly string[], tier: string) {
    const of = { organizationId: id };
    const [organizations, webhooks, wallets, pipelines, members, keys, leads] = await this.#all(
      places.organization.partition(of),
      places.webhook.partition(of),
      places.wallet.partition(of),
      places.pipeline.partition(of),
      places.member.partition(of),
      places.apiKeySettings.partition(of),
      places.lead.partition(of),
    );
    const [ledger, holds, notices, limits, spent, plans, ...copies] = await this.#all(
      places.ledgerEntry.partition(of),
      places.openHold.partition(of),
      places.notice.partition(of),
      places.spendLimit.partition(of),
      places.spendCounter.partition(of),
      places.plan.partition({}),
      ...tags.map((tag) => places.leadOfTag.partition({ ...of, tag })),
    );
    const names = new Map(pipelines.map((one) => [one.id, one.name]));
    const contentsOf = (some: readonly Item[]) =>
      sorted(some.map((lead) => ({ ...leadOf(lead), pipeline: names.get(lead.pipeline_id) })));
    const leadIds = [...new Set([...formerLeads, ...leads.map(({ sk }) => String(sk))])];
    const histories = leadIds.map((lead) => this.#partition(historyKey(id, lead, 0).pk));
    return {
      organization: organizations.map(only('name pipelines members owners webhooks api_keys')),
      webhooks: sorted(
        webhooks.map((one) => ({
          ...webhookOf(one),
          secrets: (one.secrets as unknown[]).length,
          tests: Object.keys(one.tests as object).length,
        })),
      ),
      members: members.map(({ sk, role }) => `${sk} ${role}`),
      apiKeys: sorted(await Promise.all(keys.map((one) => this.#apiKey(one)))),
      wallet: wallets.map(walletOf),
      holds: holds
        .map((one) => toOpenHold(openHoldKind.parse(one)))
        .map(({ reason, lots }) => [reason, lots.map(only('compartment stars'))]),
      notices: notices.map(only('sk type threshold sequence')),
      limits: limits.map(limitOf),
      spent: spent.map(spentOf),
      ledger: ledger.map(only('sk sequence type monthly_change pack_change held_change')),
      plans: plans.filter(({ sk }) => sk === tier).map(only('name price_cents')),
      pipelines: await Promise.all(pipelines.map((pipeline) => this.#pipeline(id, pipeline))),
      leads: contentsOf(leads),
      copies: copies.map(contentsOf),
      histories: sorted((await Promise.all(histories)).map((entries) => entries.map(changeOf))),
    };
  }

  /** What is listed of a key, and what its user is let in by. */
  async #apiKey(listed: Item) {
    const [stored = {}] = await this.#partition(
      places.apiKey.partition({ keyId: String(listed.sk) }),
    );
    return {
      ...apiKeyOf(listed),
      isRevoked: listed.revoked_at !== undefined,
      isSame: isDeepStrictEqual(apiKeyOf(listed), apiKeyOf(stored)),
      secrets: (stored.secrets as unknown[]).length,
    };
  }

  async #pipeline(organization: string, { id, name, stages, version }: Item) {
    const ids = { organizationId: organization, pipelineId: String(id) };
    const items = await this.#partition(counterKind.partition(ids));
    const counters = items.map((item) => counterKind.parse(item));
    const closed = sorted(counters.filter((c) => c.closed).map(({ sk }) => sk));
    const sums = [...sumByStage(counters)].map(([stage, { leads, value_cents }]) => ({
      stage,
      leads,
      value: String(value_cents),
    }));
    return { name, stages, version, sums: sorted(sums), closed };
  }

  /** The items of partitions, as many lists as are asked for. */
  async #all<const P extends string[]>(...partitions: P) {
    const items = await Promise.all(partitions.map((pk) => this.#partition(pk)));
    return items as { [I in keyof P]: Item[] };
  }

  async #partition(pk: string): Promise<Item[]> {
    const { Items = [], LastEvaluatedKey } = await this.#client.send(
      new QueryCommand({
        TableName: this.#table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ConsistentRead: true,
      }),
    );
    if (LastEvaluatedKey) throw new Error(`${pk} has more than a page`);
    return Items;
  }
}

/** Without the pipeline's id, the one of its fields that is another in each run. */
const changeOf = ({ sk, type, changes, sequence }: Item) => ({
  sk,
  sequence,
  type,
  changes: (changes as Record<'field' | 'from' | 'to', unknown>[])
    .filter(({ field }) => field !== 'pipeline_id')
    .map(({ field, from, to }) => [field, from, to]),
});

const sorted = <T>(values: T[]): T[] =>
  values.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
