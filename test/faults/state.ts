import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { adminClient } from '@leads-and-stars/runner';
import type { Hold } from '../../lib/billing/rules/causes.ts';
import { sumByStage } from '../../lib/pipelines/counters.ts';
import {
  counterKey,
  historyKey,
  leadKey,
  ledgerEntryKey,
  noticeKey,
  openHoldKey,
  organizationKey,
  planKey,
  tagKey,
} from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/table.ts';

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
    const [own, leads, ledger, holds, notices, plans, copies] = await Promise.all([
      this.#partition(organizationKey(id).pk),
      this.#partition(leadKey(id, '').pk),
      this.#partition(ledgerEntryKey(id, 0).pk),
      this.#partition(openHoldKey(id, 0, '').pk),
      this.#partition(noticeKey(id, 0, 0).pk),
      this.#partition(planKey(tier).pk),
      Promise.all(tags.map((tag) => this.#partition(tagKey(id, tag, '').pk))),
    ]);
    const ofKind = (kind: string) => own.filter(({ sk }) => String(sk).startsWith(kind));
    const pipelines = ofKind('PIPELINE#');
    const names = new Map(pipelines.map((one) => [one.id, one.name]));
    const leadIds = [...new Set([...formerLeads, ...leads.map(({ sk }) => String(sk))])];
    const histories = leadIds.map((lead) => this.#partition(historyKey(id, lead, 0).pk));
    return {
      organization: ofKind('ORGANIZATION').map(
        ({ name, pipelines, members, owners, webhooks, api_keys }) => ({
          name,
          pipelines,
          members,
          owners,
          webhooks,
          api_keys,
        }),
      ),
      webhooks: sorted(ofKind('WEBHOOK#').map(webhookOf)),
      members: ofKind('MEMBER#').map(({ sk, role }) => `${sk} ${role}`),
      apiKeys: sorted(ofKind('KEY#').map(apiKeyOf)),
      wallet: ofKind('WALLET').map(
        ({ version, monthly_stars, pack_stars, held, open_holds, thresholds, subscription }) => ({
          version,
          monthly_stars,
          pack_stars,
          held,
          open_holds,
          thresholds,
          subscription,
        }),
      ),
      holds: holds.map(({ reason, hold }) => [reason, (hold as Hold).lots]),
      notices: notices.map(({ sk, type, threshold, sequence }) => [sk, type, threshold, sequence]),
      ledger: ledger.map(({ sk, type, monthly_change, pack_change, held_change, sequence }) => ({
        sk,
        sequence,
        type,
        monthly_change,
        pack_change,
        held_change,
      })),
      plans: plans
        .filter(({ sk }) => sk === tier)
        .map(({ name, price_cents }) => [name, price_cents]),
      pipelines: await Promise.all(pipelines.map((pipeline) => this.#pipeline(id, pipeline))),
      leads: sorted(leads.map((lead) => contentOf(lead, names))),
      copies: copies.map((ofTag) => sorted(ofTag.map((lead) => contentOf(lead, names)))),
      histories: sorted((await Promise.all(histories)).map((entries) => entries.map(changeOf))),
    };
  }

  async #pipeline(organization: string, { id, name, stages, version }: Item) {
    const counters = await this.#partition(counterKey(organization, String(id), '', 0).pk);
    const closed = sorted(counters.filter((c) => c.closed).map(({ sk }) => sk));
    const sums = [...sumByStage(counters)].map(([stage, { leads, value_cents }]) => ({
      stage,
      leads,
      value: String(value_cents),
    }));
    return { name, stages, version, sums: sorted(sums), closed };
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

const webhookOf = ({ url, types, description, status, checkpoint, version, ...rest }: Item) => ({
  url,
  types,
  description,
  status,
  checkpoint,
  version,
  secrets: (rest.secrets as unknown[]).length,
  tests: Object.keys(rest.tests as object).length,
});

const apiKeyOf = ({ name, key_role, expires_at, revoked_at, version, secrets }: Item) => ({
  ...{ name, key_role, expires_at, version },
  isRevoked: revoked_at !== undefined,
  secrets: (secrets as unknown[]).length,
});

const contentOf = (lead: Item, pipelines: Map<unknown, unknown>) => ({
  contact_name: lead.contact_name,
  email: lead.email,
  stage: lead.stage,
  tags: lead.tags,
  value_cents: lead.value_cents,
  pipeline: pipelines.get(lead.pipeline_id),
  version: lead.version,
});

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
