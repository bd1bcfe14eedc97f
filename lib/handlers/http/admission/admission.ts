import { ApiError } from '../../../errors/errors.ts';
import type { AnyOperation } from '../../../operations/kinds/operation.ts';
import type { Call, MemberCall } from '../../../operations/request.ts';
import {
  type Caller,
  isAllowed,
  readStanding,
  type Standing,
  useKeyOf,
} from '../../../organizations/caller.ts';
import type { CostCount } from '../../../organizations/cost-count.ts';
import { requestCounterKind } from '../../../organizations/request-counter.ts';
import { rateLimitHeaders, usualPerSecond } from '../../../organizations/request-limit.ts';
import type { TableClient } from '../../../table/client.ts';
import { isLarge } from '../body.ts';
import type { HttpRequest } from '../chain.ts';
import type { RequestContext, TableContext } from '../envelope.ts';
import type { NamedOrganization } from '../organization.ts';
import { readRequest, type ValidRequest } from '../validation.ts';
import { ApiKeyUses } from './api-key-uses.ts';
import { Limiter } from './limiter.ts';
import { RecentMap, RecentSet } from './recent-map.ts';

/** How many callers, and how many platform keys, an environment remembers. */
const mostRemembered = 1000;

/** A value or a failure, so that the failure can wait for its turn. */
export type Settled<T> = { value: T } | { error: unknown };

/** What the operation's `handle` needs, once the caller may have it. */
export interface AdmittedRequest extends ValidRequest {
  call: MemberCall;
  /** What the operation's `read` gave. */
  data: Settled<unknown>;
  /** Ends once the request is counted, and the use of its API key. Never rejects. */
  counting: Promise<void>;
}

type State = RequestContext & Caller & NamedOrganization & TableContext;
/** The state, once it is known in which organization the caller is. */
type StateWithin = State & { organizationId: string };

// docs/decisions/admission.md
/** Decides which requests of an operation are admitted. */
export class Admission {
  readonly #operation: AnyOperation;
  /** Callers whom this environment has seen with a role in an organization, and its id. */
  readonly #known = new RecentMap<string>(mostRemembered);
  /** The platform keys with which it has seen callers, by their secrets. */
  readonly #platformKeys = new RecentSet(mostRemembered);
  readonly #organizations = new Limiter({
    keyOf: (organizationId) => requestCounterKind.key({ organizationId }),
    usualPerSecond: () => Number(process.env.REQUESTS_PER_SECOND ?? usualPerSecond),
    tell: ({ responseHeaders }, verdict) =>
      void Object.assign(responseHeaders, rateLimitHeaders(verdict)),
  });
  readonly #apiKeyUses = new ApiKeyUses();

  constructor(operation: AnyOperation) {
    this.#operation = operation;
  }

  /**
   * Throws `unauthenticated` for an API key that is none here, else `forbidden`, else `rate_limited`, else what is wrong
   * with the request. A stranger costs one read, and hears of nothing else. For a caller whom this environment has seen,
   * all that is read is one request to the table; a large body, and what an organization sends that had nothing left of
   * its limit, are looked at only after the verdict. The organization of an API key that names none is found likewise:
   * remembered, or read with the key.
   */
  async admit(named: State, event: HttpRequest['event']): Promise<AdmittedRequest> {
    const { table } = named;
    const known = this.#known.get(nameOf(named));
    if (known !== undefined) this.#organizations.assertNotJustRefused(named, known);
    const reading = this.#readStanding(named);
    const organizationId = known ?? (await reading).organizationId;
    const state: StateWithin = Object.assign(named, { organizationId });

    const begin = () => {
      const request = attempt(() => readRequest(this.#operation, state, event));
      return { request, dataReading: readData(this.#operation, request, table) };
    };
    // Up to the next `await`, the table joins all reads into one request.
    const { count, counter } = this.#organizations.start(state, organizationId);
    const waits = this.#organizations.isBusy(organizationId) || isLarge(event);
    const early = waits ? undefined : begin();

    reading.catch((error) => count.refuse(error));
    const { role, spender } = await reading;
    state.endings.push(() => count.end());
    try {
      count.admit(await counter);
    } catch (error) {
      // What was read meanwhile counts once the reading has ended.
      await early?.dataReading;
      throw error;
    }

    const counting = this.#count(state, count);
    const { request, dataReading } = early ?? begin();
    if ('error' in request) {
      // What a member got wrong counts, too.
      await counting;
      throw request.error;
    }
    const data = await dataReading;
    const assertAllowed = async () => void (await this.#readStanding(state));
    return {
      ...request.value,
      call: { ...request.value.call, role, spender, assertAllowed, limit: count },
      data,
      counting,
    };
  }

  /** Throws `unauthenticated` or `forbidden` if the caller may not do this. */
  async #readStanding(state: State): Promise<Standing> {
    const [name, platformKey] = [nameOf(state), platformKeyOf(state)];
    const isKnown = this.#known.get(name) !== undefined || this.#platformKeys.has(platformKey);
    this.#known.delete(name);
    this.#platformKeys.delete(platformKey);
    const { table, organizationId } = state;
    const standing = await readStanding(table, organizationId, state, Date.now(), isKnown);
    if (platformKey) this.#platformKeys.add(platformKey);
    if (!standing || !isAllowed(state, standing.role, this.#operation.permission)) {
      throw new ApiError('forbidden');
    }
    this.#known.set(name, standing.organizationId);
    return standing;
  }

  async #count(state: StateWithin, count: CostCount): Promise<void> {
    const { table, organizationId, apiKey } = state;
    await Promise.all([
      count.countOne(),
      apiKey && this.#apiKeyUses.note(table, useKeyOf(organizationId, apiKey), Date.now()),
    ]);
  }
}

/** A caller's name, with the secret: whoever has another secret with a known id is a stranger. */
const nameOf = ({ organizationId, userId, apiKey }: State): string =>
  `${organizationId ?? ''} ${userId} ${apiKey?.digest ?? ''}`;

/** What a platform key is remembered by, which is its secret; empty for all other callers. */
const platformKeyOf = ({ apiKey }: State): string =>
  apiKey?.kind === 'platform' ? apiKey.digest : '';

const attempt = <T>(work: () => T): Settled<T> => {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
};

/** What the operation's `read` gives for a valid request. Never rejects. */
export const readData = async (
  operation: AnyOperation,
  request: Settled<{ call: Call }>,
  table: TableClient,
): Promise<Settled<unknown>> => {
  if ('error' in request) return request;
  try {
    return { value: await operation.read?.(request.value.call, table) };
  } catch (error) {
    return { error };
  }
};
