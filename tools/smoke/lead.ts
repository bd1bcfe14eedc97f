import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type ApiResponse, ask, differencesOfError, differencesOfStatus } from './api-response.ts';
import { type Check, NotTried } from './check.ts';
import type { Listener } from './listener.ts';
import type { Target } from './target.ts';

/** Milliseconds. The stream takes a second or two; a new rule on a bus may take longer to begin. */
const patienceMs = 45_000;

/** Makes, reads and deletes a lead, once for all checks here. Each check looks at another side of it. */
export const leadChecks = (): Check[] => {
  let leadId = '';
  return [
    {
      title: 'a lead can be made, read and deleted; made twice with one key, it is one',
      run: async (target) => {
        const lead = await LeadOfSmoke.of(target);
        const differences = await lead.run();
        leadId = lead.id;
        return differences;
      },
    },
    {
      title: 'its events are sent to the bus',
      run: async ({ listener, whyNoEvents }) => {
        if (!listener) throw new NotTried(whyNoEvents ?? '');
        if (!leadId) throw new NotTried('No lead was made.');
        return differencesOfEvents(listener, leadId);
      },
    },
  ];
};

class LeadOfSmoke {
  id = '';
  readonly #target: Target;
  readonly #headers: Record<string, string>;
  readonly #pipelineId: string;

  private constructor(target: Target, headers: Record<string, string>, pipelineId: string) {
    this.#target = target;
    this.#headers = headers;
    this.#pipelineId = pipelineId;
  }

  /** In the first pipeline of the organization. */
  static async of(target: Target): Promise<LeadOfSmoke> {
    const { token, organization } = target;
    if (!token || !organization) {
      throw new NotTried('It takes --organization ID, and a token of a member in LEADS_TOKEN.');
    }
    const headers = {
      authorization: `Bearer ${token}`,
      'x-organization-id': organization,
      'content-type': 'application/json',
    };
    const answer = await ask(target, 'GET', '/pipelines', { headers });
    const [pipeline] = answer.body?.items ?? [];
    if (pipeline) return new LeadOfSmoke(target, headers, pipeline.id);
    throw new Error(`The pipelines can't be read. ${differencesOfStatus(answer, 200).join(' ')}`);
  }

  async run(): Promise<string[]> {
    const key = randomUUID();
    const made = await this.#create(key);
    if (made.status !== 201) return told('POST /leads', differencesOfStatus(made, 201));
    this.id = made.body.id;
    const path = `/leads/${this.id}`;
    const differences: string[] = [];
    try {
      const again = await this.#create(key);
      if (again.body?.id !== this.id || again.headers.get('idempotency-replayed') !== 'true') {
        differences.push(`Its repeat is not replayed: the body is ${again.text}.`);
      }
      const read = await this.#ask('GET', path);
      differences.push(...told(`GET ${path}`, differencesOfStatus(read, 200)));
    } finally {
      const deleted = await this.#ask('DELETE', path);
      differences.push(...told(`DELETE ${path}`, differencesOfStatus(deleted, 204)));
    }
    const gone = await this.#ask('GET', path);
    return [...differences, ...told(`GET ${path}`, differencesOfError(gone, 'not_found'))];
  }

  #create(key: string): Promise<ApiResponse> {
    const body = JSON.stringify({ contact_name: 'Smoke test', pipeline_id: this.#pipelineId });
    return this.#ask('POST', '/leads', { 'idempotency-key': key }, body);
  }

  #ask(method: string, path: string, more: Record<string, string> = {}, body?: string) {
    const headers = { ...this.#headers, ...more };
    return ask(this.#target, method, path, body === undefined ? { headers } : { headers, body });
  }
}

const told = (request: string, differences: string[]): string[] =>
  differences.map((one) => `${request}: ${one}`);

const differencesOfEvents = async (listener: Listener, leadId: string): Promise<string[]> => {
  const wanted = ['lead.created', 'lead.deleted'];
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const events = await listener.received();
    const types = events
      .filter(({ detail }) => detail.lead_id === leadId)
      .map((one) => one['detail-type']);
    const missing = wanted.filter((type) => !types.includes(type));
    if (missing.length === 0) return [];
    if (Date.now() > deadline) return missing.map((type) => `${type} was not sent in time.`);
    await setTimeout(500);
  }
};
