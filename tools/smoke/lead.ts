import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type ApiResponse, ask, differencesOfError, differencesOfStatus } from './api-response.ts';
import { type Check, NotTriedError } from './check.ts';
import type { Listener } from './listener.ts';
import type { Target } from './target.ts';

/** The stream takes a second or two. A new rule on a bus may need longer before it works. */
const eventTimeoutMs = 45_000;

/** Two checks of one lead. The first makes, reads and deletes it; the second looks for its events, so it must run after. */
export const leadChecks = (): Check[] => {
  let leadId = '';
  return [
    {
      title: 'a lead can be made, read and deleted; a repeat with its key makes no second lead',
      run: async (target) => {
        const lead = await SmokeLead.of(target);
        const differences = await lead.run();
        leadId = lead.id;
        return differences;
      },
    },
    {
      title: 'its events are sent to the bus',
      run: async ({ listener, noListenerReason }) => {
        if (!listener) throw new NotTriedError(noListenerReason ?? '');
        if (!leadId) throw new NotTriedError('No lead was made.');
        return missingEvents(listener, leadId);
      },
    },
  ];
};

class SmokeLead {
  id = '';
  readonly #target: Target;
  readonly #headers: Record<string, string>;
  readonly #pipelineId: string;

  private constructor(target: Target, headers: Record<string, string>, pipelineId: string) {
    this.#target = target;
    this.#headers = headers;
    this.#pipelineId = pipelineId;
  }

  /** Prepares a lead in the first pipeline of the organization. */
  static async of(target: Target): Promise<SmokeLead> {
    const { token, organization } = target;
    if (!token || !organization) {
      throw new NotTriedError(
        'This check needs --organization ID, and the token of a member in LEADS_TOKEN.',
      );
    }
    const headers = {
      authorization: `Bearer ${token}`,
      'x-organization-id': organization,
      'content-type': 'application/json',
    };
    const response = await ask(target, 'GET', '/pipelines', { headers });
    const [pipeline] = response.body?.items ?? [];
    if (pipeline) return new SmokeLead(target, headers, pipeline.id);
    throw new Error(`The pipelines can't be read. ${differencesOfStatus(response, 200).join(' ')}`);
  }

  async run(): Promise<string[]> {
    const key = randomUUID();
    const made = await this.#create(key);
    if (made.status !== 201) return withRequest('POST /leads', differencesOfStatus(made, 201));
    this.id = made.body.id;
    const path = `/leads/${this.id}`;
    const differences: string[] = [];
    try {
      const repeat = await this.#create(key);
      if (repeat.body?.id !== this.id || repeat.headers.get('idempotency-replayed') !== 'true') {
        differences.push(`A repeat of POST /leads is not replayed: its body is ${repeat.text}.`);
      }
      const read = await this.#ask('GET', path);
      differences.push(...withRequest(`GET ${path}`, differencesOfStatus(read, 200)));
    } finally {
      const deleted = await this.#ask('DELETE', path);
      differences.push(...withRequest(`DELETE ${path}`, differencesOfStatus(deleted, 204)));
    }
    const gone = await this.#ask('GET', path);
    return [...differences, ...withRequest(`GET ${path}`, differencesOfError(gone, 'not_found'))];
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

/** Says of each difference which request shows it. */
const withRequest = (request: string, differences: string[]): string[] =>
  differences.map((one) => `${request}: ${one}`);

const missingEvents = async (listener: Listener, leadId: string): Promise<string[]> => {
  const wanted = ['lead.created', 'lead.deleted'];
  const deadline = Date.now() + eventTimeoutMs;
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
