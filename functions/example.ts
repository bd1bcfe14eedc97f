import type * as z from 'zod/mini';
import type { lead } from '../lib/leads/lead.ts';
import type { newApiKeyReply } from '../lib/organizations/api-keys/api-keys.ts';
import type { webhook } from '../lib/webhooks/webhook.ts';

/** What a call may cost: capacity units read, written, and requests to DynamoDB in a row. */
export type Budget = readonly [read: number, write: number, trips: number];

/** Where an example takes place: an organization with a pipeline, a wallet of some stars, and members. */
export interface Setting {
  organizationId: string;
  /** The pipeline has the stages `new` (the default stage), `contacted` and `won`. */
  pipelineId: string;
  users: Record<'owner' | 'agent' | 'viewer', string>;
  /** A UUID that no user of the organization has. */
  newcomerId: string;
  /** A UUID that no organization has. */
  freeOrganizationId: string;
  /** The tier of a plan that nothing else names. */
  tier: string;
  /** Letters, digits and hyphens that nothing else in the organization has. */
  unique(): string;
  /** A lead that no other example names. It has values of most fields, and the tags `inbound` and `newsletter`. */
  lead(): Promise<z.core.output<typeof lead>>;
  /** The key of a custom field, a filterable select with the options `google`, `referral` and `fair`. */
  field(): Promise<string>;
  /** The id of a member whom no other example names. */
  member(): Promise<string>;
  /** A webhook that no other example names, to which nothing is posted unless asked for. The oldest of many goes. */
  webhook(): Promise<z.core.output<typeof webhook>>;
  /** An API key of an agent that no other example names. */
  apiKey(): Promise<z.core.output<typeof newApiKeyReply>>;
  /** Does what has to come first. Gives the body of the answer; throws if it is refused. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
  call(operationId: string, request: ExampleRequest): Promise<any>;
}

/** A request of an operation, without what each has: its token and the organization's id. */
export interface ExampleRequest {
  path?: Record<string, string>;
  query?: Record<string, string | string[]>;
  /** Headers of the request, which has an `Idempotency-Key` of its own unless it is here. */
  headers?: Record<string, string>;
  /**
   * The body of a request. Of a queue's function: `{ type, detail }` of each event. Of a worker's: the message. Of the
   * stream's: the items, with their keys.
   */
  body?: unknown;
}

/**
 * A named request of an operation, from which all that lists requests is made: sample events, tests of
 * faults and costs, the OpenAPI document. The first of an operation is its sample.
 */
export interface Example {
  /** In lower case, as it is said after the operation's id. */
  name: string;
  request(setting: Setting): ExampleRequest | Promise<ExampleRequest>;
  /** The status of the answer; unless told, the operation's own. */
  status?: number;
  /** Whether the reference shows the example, with its answer. */
  docs?: true;
  /**
   * Whether every fault strikes the example. An example that reads pages has a limit of 1, so that there is a second
   * page.
   */
  faults?: true;
  /** The exact cost of the request. */
  costs?: Budget;
  /** The exact cost of a repeat of the request under the same key. */
  costsAgain?: Budget;
}
