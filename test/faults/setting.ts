import { randomUUID } from 'node:crypto';
import type { Setting as ExampleSetting } from '../../functions/example.ts';
import { feedIdOf } from '../../lib/changes/feed.ts';
import { indexPartition } from '../../lib/table/keys.ts';
import { parseApiKey } from '../../lib/tokens/api-key.ts';
import { settingOf, wholeLead } from '../../tools/examples/setting.ts';
import type { FaultyService } from '../support/faults/faulty-service.ts';
import type { WatchedRequests } from '../support/faults/watched-requests.ts';
import { type Answer, Client, type Request } from './client.ts';
import { StateReader } from './state.ts';

/** The same in every organization that is compared with another: who they are is not what is compared. */
export const ownerId = '0190a5d2-0000-7000-8000-000000000001';
export const viewerId = '0190a5d2-0000-7000-8000-000000000002';
export const newcomer = '0190a5d2-0000-7000-8000-000000000003';
const tags = ['a', 'inbound', 'newsletter', 'vip'];

/** Where a case takes place: an organization of its own with a pipeline, a lead, stars and members. */
export interface Setting {
  id: string;
  pipelineId: string;
  leadId: string;
  users: Record<'owner' | 'agent' | 'viewer', string>;
  /** The tier of a plan of its own. */
  plan: string;
  client: Client;
  watched: WatchedRequests;
  /** The same for examples. Its lead, its member and what is unique are the same in each. */
  examples: ExampleSetting;
}

export const provisioning = (id: string, user = ownerId): Request => ({
  id: 'putOrganization',
  path: `/organizations/${id}`,
  body: {
    name: 'Cedro',
    members: [
      { user_id: user, role: 'owner' },
      { user_id: viewerId, role: 'viewer' },
    ],
    pipelines: [
      {
        name: 'Sales',
        stages: ['new', 'contacted', 'won', 'old'].map((name) => ({ name, outcome: 'open' })),
      },
    ],
    wallet: {
      pack_stars: 50,
      subscription: {
        tier: 'pro',
        status: 'active',
        monthly_grant_stars: 20,
        monthly_stars: 20,
        current_period_end: '2040-01-01T00:00:00Z',
      },
    },
  },
});

export interface SettingOptions {
  provisioned?: boolean;
  /** Whether its owner is in no other organization. */
  apart?: boolean;
  /** Requests with one of these are its own as well. */
  marks?: readonly string[];
}

export class Settings {
  readonly #faulty: FaultyService;
  readonly #state: StateReader;

  constructor(faulty: FaultyService) {
    this.#faulty = faulty;
    this.#state = new StateReader(faulty.engine, faulty.service.assembly.table.TableName);
  }

  /** Faults are of the function that is tried; until there are any, everything is well. */
  async make({
    provisioned = true,
    apart = false,
    marks = [],
  }: SettingOptions = {}): Promise<Setting> {
    const id = randomUUID();
    const user = apart ? randomUUID() : ownerId;
    const users = { owner: user, agent: user, viewer: viewerId };
    const { service, proxy, killSender } = this.#faulty;
    const client = new Client(service, id, await service.issuer.idToken(user));
    const { id: platformKeyId = '' } = parseApiKey(await client.platformKey()) ?? {};
    let pipelineId = '';
    // biome-ignore lint/suspicious/noExplicitAny: as the client answers it.
    let lead: any = { id: '' };
    if (provisioned) {
      pipelineId = (await this.#well(client, provisioning(id, user))).body.pipelines[0].id;
      const body = { ...wholeLead({ pipelineId, users }, '0') };
      lead = (await this.#well(client, { id: 'createLead', path: '/leads', body })).body;
    }
    let used = 0;
    const examples = settingOf({
      organizationId: id,
      pipelineId,
      users,
      newcomerId: newcomer,
      freeOrganizationId: id,
      tier: `plan-${id}`,
      unique: () => String(++used),
      lead: async () => lead,
      member: async () => viewerId,
      call: (operationId, request) => client.call(operationId, request),
    });
    // The keys of an index say nothing of the organization.
    const partitions = [[pipelineId], [pipelineId, 'new'], [user]];
    const own = [id, platformKeyId, ...partitions.map((values) => indexPartition(id, ...values))];
    if (apart) own.push(user);
    own.push(feedIdOf(id, service.assembly.table.TableName));
    const watched = proxy.watch([...own, ...marks], killSender);
    const ids = { id, pipelineId, leadId: lead.id, plan: examples.tier };
    return { ...ids, users, client, watched, examples };
  }

  /** Everything that is stored, once nothing is under way. */
  async stateOf({ id, leadId, plan, watched }: Setting) {
    await watched.settled();
    watched.plan(undefined);
    return this.#state.read(id, leadId ? [leadId] : [], tags, plan);
  }

  /** Gives it a second of everything that is listed in pages. */
  async fill({ pipelineId, leadId, users, client }: Setting): Promise<void> {
    const path = `/leads/${leadId}`;
    await this.#well(client, { id: 'updateLead', path, body: { value_cents: 1 } });
    const body = { ...wholeLead({ pipelineId, users }, '1'), email: null };
    await this.#well(client, { id: 'createLead', path: '/leads', body });
    await this.#well(client, { id: 'putSpend', path: '/billing/spends/spent', body: { stars: 1 } });
  }

  /** A client of the organization who may only read. */
  async viewerOf({ id }: Setting): Promise<Client> {
    const { service } = this.#faulty;
    return new Client(service, id, await service.issuer.idToken(viewerId));
  }

  end({ watched }: Setting): void {
    this.#faulty.proxy.unwatch(watched);
  }

  async #well(client: Client, request: Request): Promise<Answer> {
    // On a busy machine one may take too long.
    const answer = (await client.insist(request)).at(-1)!;
    if (answer.code) throw new Error(`no setting: ${JSON.stringify(answer)}`);
    return answer;
  }
}
