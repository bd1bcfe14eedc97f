import type { DynamoDBRecord } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Match } from '../schema/etag.ts';
import type { Grant, ReadGrant, WriteGrant } from '../table/grants.ts';
import type { Key } from '../table/keys.ts';
import type { Commit, Part, Reader, ReadOnly, Table } from '../table/table.ts';
import type { Wakes } from '../webhooks/wakes.ts';
import type { ErrorCode } from './errors.ts';
import type { Permission, Role } from './permissions.ts';

type Schema = z.core.$ZodType;
type Output<S> = S extends Schema ? z.core.output<S> : undefined;

/** What an operation without an organization is given: all of it verified. */
export interface UserCall<Path, Query, Body> {
  userId: string;
  /** What `If-Match` names. */
  ifMatch: Match;
  path: Path;
  query: Query;
  body: Body;
  /** Milliseconds since the epoch, the same throughout the request. */
  now: number;
}

/** What an operation is given: all of it verified, except that `read` runs before membership is. */
export interface Call<Path, Query, Body> extends UserCall<Path, Query, Body> {
  organizationId: string;
}

/** What `handle` is given: by then the caller is known. */
export interface MemberCall<Path, Query, Body> extends Call<Path, Query, Body> {
  /** The caller's, in this organization. */
  role: Role;
  /** For work that goes on for long: throws `forbidden` if the caller may no longer. */
  assertMember(): Promise<void>;
}

/** A body that is undefined is not sent. */
export interface Reply<B = unknown> {
  status?: number;
  headers?: Record<string, string>;
  body: B;
  /**
   * The leads whose fields or notes the answer tells though nothing was written for it: whoever erases one of
   * them has to find the answer under its idempotency key. An operation that gives this grants itself
   * `ConditionCheckItem`.
   */
  tells?: readonly string[];
}

/** What every operation of the API has: the gateway, the docs and the tests read this. */
interface Route<
  Path extends Schema | undefined,
  Query extends Schema | undefined,
  Body extends Schema | undefined,
  Response extends Schema,
> {
  /** The operationId; the file is named after it. */
  id: string;
  /** Its name in the reference: what it does and to what, in a few words. */
  summary: string;
  /** What it does, and what its callers have to know of it. CommonMark. */
  description: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: `/${string}`;
  request: { path?: Path; query?: Query; body?: Body };
  /** `orElse`: another status of success, of what was there before. */
  response: { status: number; orElse?: number; body: Response };
  /** Codes beyond those that every operation may answer. */
  errors: readonly ErrorCode[];
}

/** An operation in an organization: the chain and the grants read this too. */
export interface Operation<
  G extends Grant = Grant,
  Path extends Schema | undefined = Schema | undefined,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  Response extends Schema = Schema,
  Data = unknown,
> extends Route<Path, Query, Body, Response> {
  scope?: 'organization';
  permission: Permission;
  /** Takes an `Idempotency-Key`: whatever is answered under one, a repeat is answered too. */
  idempotent?: boolean;
  /** Of a batch: what each of its parts asks for. */
  parts?(call: Call<Output<Path>, Output<Query>, Output<Body>>): readonly unknown[];
  /** Takes an `If-Match`. */
  conditional?: boolean;
  /** Its answer has an `ETag`. */
  versioned?: boolean;
  /** What it may do with the table, beyond what the chain does itself. */
  table: readonly G[];
  /** Reads, maybe while the membership is still being read. Is discarded if that fails. */
  read?(call: Call<Output<Path>, Output<Query>, Output<Body>>, table: ReadOnly<G>): Promise<Data>;
  /** Runs once the caller is known to be a member with the permission. */
  handle(
    call: MemberCall<Output<Path>, Output<Query>, Output<Body>>,
    data: Data,
    table: Reader<G>,
    commit: Commit<Extract<G, WriteGrant>>,
  ): Reply<z.core.output<Response>> | Promise<Reply<z.core.output<Response>>>;
  /** Adds to the answer of a repeat what its record does not hold: a record holds no secret. */
  replayed?(
    call: MemberCall<Output<Path>, Output<Query>, Output<Body>>,
    reply: Reply<z.core.output<Response>>,
    table: ReadOnly<G>,
  ): Promise<Reply<z.core.output<Response>>>;
}

// biome-ignore lint/suspicious/noExplicitAny: what the chain needs of an operation does not depend on its types.
export type AnyOperation = Operation<any, any, any, any, any, any>;

export const defineOperation = <
  const G extends Grant,
  Response extends Schema,
  Data,
  Path extends Schema | undefined = undefined,
  Query extends Schema | undefined = undefined,
  Body extends Schema | undefined = undefined,
>(
  operation: Operation<G, Path, Query, Body, Response, Data>,
): Operation<G, Path, Query, Body, Response, Data> & { kind: 'routed' } => ({
  kind: 'routed',
  ...operation,
});

/** An operation on a list, each part of which succeeds or fails, and is answered once, by itself. */
export const defineBatch = <
  const G extends Grant,
  Response extends Schema,
  Data,
  Body extends Schema,
>({
  handle,
  ...operation
}: Omit<Operation<G, undefined, undefined, Body, Response, Data>, 'handle' | 'idempotent'> & {
  parts(call: Call<undefined, undefined, Output<Body>>): readonly unknown[];
  handle(
    call: MemberCall<undefined, undefined, Output<Body>>,
    data: Data,
    table: Reader<G>,
    part: Part<Extract<G, WriteGrant>>,
  ): Promise<Reply<z.core.output<Response>>>;
}) =>
  // The chain gives an operation with parts this instead of a `Commit`.
  defineOperation({ ...operation, idempotent: true, handle: handle as never });

/**
 * An operation about the user who calls, in no organization and for everyone with a valid token: it reads what
 * is the caller's own.
 */
export interface UserOperation<
  G extends ReadGrant = ReadGrant,
  Query extends Schema | undefined = Schema | undefined,
  Response extends Schema = Schema,
> extends Route<undefined, Query, undefined, Response> {
  scope: 'user';
  method: 'GET';
  permission?: undefined;
  idempotent?: undefined;
  conditional?: undefined;
  versioned?: undefined;
  table: readonly G[];
  handle(
    call: UserCall<undefined, Output<Query>, undefined>,
    table: ReadOnly<G>,
  ): Promise<Reply<z.core.output<Response>>>;
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AnyUserOperation = UserOperation<any, any, any>;

export type RoutedOperation = AnyOperation | AnyUserOperation;

export const defineUserOperation = <
  const G extends ReadGrant,
  Query extends Schema | undefined,
  Response extends Schema,
>(
  operation: Omit<UserOperation<G, Query, Response>, 'scope'>,
): UserOperation<G, Query, Response> & { kind: 'routed' } => ({
  kind: 'routed',
  scope: 'user',
  ...operation,
});

/** The statuses with which an operation may succeed. */
export const successesOf = ({ response: { status, orElse } }: RoutedOperation): number[] =>
  orElse === undefined ? [status] : [status, orElse];

/** Whether its answers of success have a body. */
export const hasBody = ({ response }: RoutedOperation): boolean =>
  response.body._zod.def.type !== 'undefined';

/** Every code that an operation may answer: the chain's, the gateway's and its own. */
export const errorsOf = (operation: RoutedOperation): ErrorCode[] => [
  'invalid_request',
  'unauthenticated',
  ...(operation.scope === 'user' ? [] : (['forbidden'] as const)),
  'payload_too_large',
  ...(operation.request.body ? (['unsupported_media_type'] as const) : []),
  'rate_limited',
  'internal',
  'unavailable',
  'timeout',
  ...operation.errors,
];

/** A function that other services invoke directly with IAM. It has no route and no caller to check. */
export interface InternalOperation<
  G extends Grant = Grant,
  Body extends Schema = Schema,
  Response extends Schema = Schema,
> {
  id: string;
  /** What it does, in a sentence. */
  summary: string;
  request: { body: Body };
  response: { body: Response };
  /** Codes beyond those that every such function may fail with. */
  errors: readonly ErrorCode[];
  table: readonly G[];
  handle(input: z.core.output<Body>, table: Table<G>): Promise<z.core.output<Response>>;
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AnyInternalOperation = InternalOperation<any, any, any>;

export const defineInternalOperation = <
  const G extends Grant,
  Body extends Schema,
  Response extends Schema,
>(
  operation: InternalOperation<G, Body, Response>,
): InternalOperation<G, Body, Response> & { kind: 'internal' } => ({
  kind: 'internal',
  ...operation,
});

/** Every code that such a function may fail with. */
export const errorsOfInternal = (operation: AnyInternalOperation): ErrorCode[] => [
  'invalid_request',
  ...operation.errors,
  'internal',
  'unavailable',
  'timeout',
];

/** A function that is given the events of others, from the service's bus by way of a queue. */
export interface QueueConsumer<G extends Grant = Grant, Message extends Schema = Schema> {
  id: string;
  summary: string;
  /** What of the bus is put into its queue. */
  events: { source: string; types: readonly string[] };
  /** An event: its detail, with its detail-type as `type`. */
  message: Message;
  table: readonly G[];
  /** Messages of one organization are handled one after another, others at once. */
  organizationOf(message: z.core.output<Message>): string;
  /** Returns when the message is done with; throws to have it delivered again, and in the end set aside. */
  handle(message: z.core.output<Message>, table: Table<G>): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AnyQueueConsumer = QueueConsumer<any, any>;

export const defineQueueConsumer = <const G extends Grant, Message extends Schema>(
  consumer: QueueConsumer<G, Message>,
): QueueConsumer<G, Message> & { kind: 'queue' } => ({ kind: 'queue', ...consumer });

/**
 * A function that is given what is added to some partitions, from the table's stream: at least once, and
 * in order for each partition.
 */
export interface StreamConsumer<G extends Grant = Grant> {
  id: string;
  summary: string;
  /** How the keys of those partitions begin. */
  partitions: readonly string[];
  table: readonly G[];
  organizationOf(key: Key): string;
  /**
   * Returns when an organization's items are done with; throws to be given them again. One organization
   * that fails does not keep the others of a batch waiting.
   */
  handle(
    organizationId: string,
    keys: readonly Key[],
    table: Table<G>,
    wakes: Wakes,
  ): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AnyStreamConsumer = StreamConsumer<any>;

export const defineStreamConsumer = <const G extends Grant>(
  consumer: StreamConsumer<G>,
): StreamConsumer<G> & { kind: 'stream' } => ({ kind: 'stream', ...consumer });

/**
 * A function that describes changed items as events. It is given the records of the table's stream that
 * the pipe lets through, in order, and has no part in the table itself.
 */
export interface Enrichment<Event extends Schema = Schema> {
  id: string;
  summary: string;
  /** What each of the answered events is. */
  event: Event;
  table: readonly [];
  handle(records: readonly DynamoDBRecord[]): z.core.output<Event>[];
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AnyEnrichment = Enrichment<any>;

export const defineEnrichment = <Event extends Schema>(
  enrichment: Omit<Enrichment<Event>, 'table'>,
): Enrichment<Event> & { kind: 'enrichment' } => ({ kind: 'enrichment', table: [], ...enrichment });

/** A function that works on messages which the service's own functions send, by a queue of its own. */
export interface Worker<G extends Grant = Grant, Message extends Schema = Schema> {
  id: string;
  summary: string;
  message: Message;
  table: readonly G[];
  /** Seconds that a message may take. */
  seconds: number;
  /** Messages that are worked on at once at most, each by an environment of its own. */
  atOnce: number;
  /**
   * Returns when the message is done with; throws to be given it again, and in the end to have it set aside.
   * `again`: it was given before.
   */
  handle(
    message: z.core.output<Message>,
    table: Table<G>,
    around: { wakes: Wakes; again: boolean },
  ): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AnyWorker = Worker<any, any>;

export const defineWorker = <const G extends Grant, Message extends Schema>(
  worker: Worker<G, Message>,
): Worker<G, Message> & { kind: 'worker' } => ({ kind: 'worker', ...worker });

/** A function that is started by the clock. */
export interface Scheduled<G extends Grant = Grant> {
  id: string;
  summary: string;
  everyMinutes: number;
  /** Whether it is told where the issuer's keys are. */
  asksIssuer?: true;
  table: readonly G[];
  handle(table: Table<G>, wakes: Wakes): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AnyScheduled = Scheduled<any>;

export const defineScheduled = <const G extends Grant>(
  scheduled: Scheduled<G>,
): Scheduled<G> & { kind: 'scheduled' } => ({ kind: 'scheduled', ...scheduled });

/** What a file under `functions/` defines: who starts the function, by its kind. */
export type Definition =
  | (RoutedOperation & { kind: 'routed' })
  | (AnyInternalOperation & { kind: 'internal' })
  | (AnyQueueConsumer & { kind: 'queue' })
  | (AnyStreamConsumer & { kind: 'stream' })
  | (AnyEnrichment & { kind: 'enrichment' })
  | (AnyWorker & { kind: 'worker' })
  | (AnyScheduled & { kind: 'scheduled' });

/** Whether a function may send wakes: those that nobody waits for, but the one that only describes. */
export const sendsWakes = ({ kind }: Definition): boolean =>
  kind === 'stream' || kind === 'worker' || kind === 'scheduled';
