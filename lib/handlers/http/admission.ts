import { ApiError } from '../../errors/errors.ts';
import type { AnyOperation } from '../../operations/kinds/operation.ts';
import { type Role, rolePermissions } from '../../operations/permissions.ts';
import type { Call, MemberCall } from '../../operations/request.ts';
import { readRole } from '../../organizations/members.ts';
import { count, readCounter } from '../../organizations/request-counter.ts';
import {
  type Counter,
  judge,
  rateLimitHeaders,
  sample,
  sampleEvery,
  usualPerSecond,
  weightOf,
} from '../../organizations/request-limit.ts';
import type { TableClient } from '../../table/client.ts';
import type { Caller } from './authentication.ts';
import type { HttpRequest } from './chain.ts';
import type { Received, WithTable } from './envelope.ts';
import type { InOrganization } from './organization.ts';
import { RecentSet } from './recent-set.ts';
import { readRequest, type ValidRequest } from './validation.ts';

/** How many members, and how many organizations, an environment remembers. */
const mostRemembered = 1000;

const usual = (): number => Number(process.env.REQUESTS_PER_SECOND ?? usualPerSecond);
/** Tests count every request, or none (`Infinity`), so that nothing in them is by chance. */
const countedOneIn = (): number => Number(process.env.COUNT_ONE_REQUEST_IN ?? sampleEvery);

/** What came of some work, so that its failure can wait until it is its turn. */
export type Outcome<T> = { value: T } | { error: unknown };

/** What the operation's `handle` needs, once the caller may have it. */
export interface Admitted extends ValidRequest {
  call: MemberCall;
  /** What the operation's `read` gave. */
  data: Outcome<unknown>;
  /** Ends once the request is counted. Never rejects. */
  counting: Promise<void>;
}

type Known = Received & Caller & InOrganization & WithTable;

// docs/decisions/admission.md
/** Decides which requests of an operation are admitted. */
export class Admission {
  readonly #operation: AnyOperation;
  /** Callers whom this environment has seen as members. */
  readonly #members = new RecentSet(mostRemembered);
  /** Organizations that had nothing left of their limit. */
  readonly #busy = new RecentSet(mostRemembered);

  constructor(operation: AnyOperation) {
    this.#operation = operation;
  }

  /**
   * Throws `forbidden`, else `rate_limited`, else what is wrong with the request. A stranger costs one read, and hears
   * of nothing else. For a member whom this environment has seen, all that is read is one request to the table.
   */
  async admit(known: Known, event: HttpRequest['event']): Promise<Admitted> {
    const { table, organizationId } = known;
    const isKnown = this.#members.has(nameOf(known));
    const roleReading = this.#readRole(known);
    if (!isKnown) await roleReading;

    // Up to the next `await`, the table gathers what it is asked for.
    const request = attempt(() => readRequest(this.#operation, known, event));
    const counterReading = readCounter(table, organizationId);
    const read = () => readData(this.#operation, request, table);
    const isBusy = this.#busy.has(organizationId);
    const earlyData = isBusy ? undefined : read();

    const role = await roleReading;
    const counter = await counterReading;
    const verdict = judge(counter, Date.now(), usual());
    Object.assign(known.responseHeaders, rateLimitHeaders(verdict));
    if (verdict.remaining > 0) this.#busy.delete(organizationId);
    else this.#busy.add(organizationId);
    if (!verdict.admitted) throw new ApiError('rate_limited', { retryAfter: verdict.retryAfter });

    const counting = countRequest(known, this.#weightOf(request), counter);
    if ('error' in request) {
      // What a member got wrong counts, too.
      await counting;
      throw request.error;
    }
    const data = await (earlyData ?? read());
    const assertMember = async () => void (await this.#readRole(known));
    return {
      ...request.value,
      call: { ...request.value.call, role, assertMember },
      data,
      counting,
    };
  }

  /** Throws `forbidden` if the caller may not do this. */
  async #readRole(known: Known): Promise<Role> {
    const role = await readRole(known.table, known.organizationId, known.userId);
    if (role && rolePermissions[role].has(this.#operation.permission)) {
      this.#members.add(nameOf(known));
      return role;
    }
    this.#members.delete(nameOf(known));
    throw new ApiError('forbidden');
  }

  #weightOf(request: Outcome<ValidRequest>): number {
    const parts = 'value' in request ? this.#operation.parts?.(request.value.call) : undefined;
    return weightOf(parts?.length ?? 0);
  }
}

const nameOf = ({ organizationId, userId }: Known): string => `${organizationId} ${userId}`;

const attempt = <T>(work: () => T): Outcome<T> => {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
};

/** What the operation's `read` gives for a valid request. Never rejects. */
export const readData = async (
  operation: AnyOperation,
  request: Outcome<{ call: Call }>,
  table: TableClient,
): Promise<Outcome<unknown>> => {
  if ('error' in request) return request;
  try {
    return { value: await operation.read?.(request.value.call, table) };
  } catch (error) {
    return { error };
  }
};

/** A count that is lost is one of many: so a failure is no reason to fail. */
const countRequest = async (
  { table, organizationId }: Known,
  weight: number,
  counter: Counter,
): Promise<void> => {
  const requests = sample(weight, countedOneIn());
  if (requests === 0) return;
  const milliseconds = Math.round((requests * 1000) / (counter.perSecond ?? usual()));
  await count(table, organizationId, milliseconds, counter).catch(() => {});
};
