import { fetchApi } from '../cli/fetch-api.ts';
import { pathOf } from '../examples/request.ts';
import type { DemoOrganization } from '../service/demo-organization.ts';
import type { Exchange } from './examples.ts';
import { normalizer, type Span } from './normalizer.ts';

/** The parts that are sent beside the path; `token` is null for none. */
export interface RecordedRequest {
  query?: Record<string, string | string[]>;
  headers?: Record<string, string>;
  body?: unknown;
  token?: string | null;
}

/** Whose tokens and ids it is told. */
type Recorded = Pick<DemoOrganization, 'organization_id' | 'users' | 'tokens'> & {
  pipeline_id?: string;
};

/** Calls a running service and keeps what was said, to be shown as examples. */
export class Recorder {
  readonly #baseUrl: string;
  readonly #organization: Recorded;
  readonly #exchanges: Exchange[] = [];
  readonly #spans: Span[] = [];

  constructor(baseUrl: string, organization: Recorded) {
    this.#baseUrl = baseUrl;
    this.#organization = organization;
  }

  /**
   * Sends a request and keeps it as an example of an operation, or of a shared response where the
   * operation's id is empty. `title` is in lower case. Throws if the answer is another than expected.
   */
  async call(
    expected: number,
    operationId: string,
    [method, template, path = {}]: [string, string, Record<string, string>?],
    title: string,
    {
      query = {},
      headers = {},
      body,
      token = this.#organization.tokens.owner,
    }: RecordedRequest = {},
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  ): Promise<{ body: any; etag: string }> {
    const span = { from: Date.now(), to: 0 };
    const summary = title.charAt(0).toUpperCase() + title.slice(1);
    const response = await fetchApi(
      `${this.#baseUrl}${pathOf({ path: template }, { path, query })}`,
      {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          'x-organization-id': this.#organization.organization_id,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      },
    );
    const text = await response.text();
    span.to = Date.now();
    if (response.status !== expected) {
      throw new Error(`${operationId} (${summary}) should be ${expected}: ${text}`);
    }
    const answer = { status: expected, ...(text && { body: JSON.parse(text) }) };
    const name = summary.toLowerCase().replace(/[^a-z0-9]+/g, '_');
    this.#exchanges.push({ operationId, name, summary, path, body, answer });
    this.#spans.push(span);
    return { body: answer.body, etag: response.headers.get('etag') ?? '' };
  }

  /** All that was recorded, the same after each run. */
  exchanges(): Exchange[] {
    const { organization_id, pipeline_id, users } = this.#organization;
    const known = [organization_id, ...(pipeline_id ? [pipeline_id] : []), ...Object.values(users)];
    const normalize = normalizer(known, this.#spans);
    return normalize(this.#exchanges);
  }
}
