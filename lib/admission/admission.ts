import { ApiError } from '../errors/errors.ts';
import type { AnyOperation } from '../operations/kinds/operation.ts';
import type { Call, MemberCall } from '../operations/request.ts';
import {
  type Caller,
  isAllowed,
  notAllowed,
  readStanding,
  type Standing,
  useKeyOf,
} from '../organizations/caller.ts';
import type { CostCount } from '../organizations/cost-count.ts';
import { isStopped } from '../organizations/suspension.ts';
import type { TableClient } from '../table/client.ts';
import { type Input, readRequest, type ValidRequest } from './input.ts';
import type { OpenRequest } from './open-request.ts';
import { attempt, type Settled } from './settled.ts';

/** What the operation's `handle` needs, once the caller may have it. */
export interface AdmittedRequest extends ValidRequest {
  call: MemberCall;
  /** What the operation's `read` gave. */
  data: Settled<unknown>;
  /** Ends once the request is counted, and the use of its API key. Never rejects. */
  counting: Promise<void>;
}

// docs/decisions/admission.md
/**
 * Admits a request in the organization that it names. Throws `unauthenticated` for an API key that is none here, else
 * `forbidden`, else `rate_limited`, else `organization_suspended` for all but platform keys, else what is wrong with the
 * request. A stranger costs one read, and hears of nothing else. For a caller whom this environment has seen, all that is
 * read is one request to the table; a large input, and what an organization sends that had nothing left of its limit, are
 * looked at only after the verdict. The organization of an API key that names none is found likewise: remembered, or read
 * with the key.
 */
export const admit = async (
  operation: AnyOperation,
  caller: Caller,
  named: string | undefined,
  input: Input,
  request: OpenRequest,
): Promise<AdmittedRequest> => {
  const { table, memory } = request;
  const known = memory.callers.get(nameOf(operation, caller, named));
  const limiter = caller.apiKey?.kind === 'platform' ? memory.platform : memory.organizations;
  if (known !== undefined) limiter.assertNotJustRefused(request, known);
  const reading = readAllowed(operation, caller, named, request);
  const organizationId = known ?? (await reading).organizationId;
  request.organizationId = organizationId;

  const begin = () => {
    const valid = attempt(() => readRequest(operation, caller, organizationId, input, request));
    return { valid, dataReading: readData(operation, valid, table) };
  };
  // Up to the next `await`, the table joins all reads into one request.
  const { count, counter } = limiter.start(request, organizationId);
  const waits = limiter.isBusy(organizationId) || input.isLarge;
  const early = waits ? undefined : begin();

  reading.catch((error) => count.refuse(error));
  const { role, spender } = await reading;
  request.endings.push(() => count.end());
  const seen = await counter;
  try {
    count.admit(seen);
  } catch (error) {
    // What was read meanwhile counts once the reading has ended.
    await early?.dataReading;
    throw error;
  }

  const counting = countUse(request, caller, organizationId, count);
  if (isStopped(seen, caller)) {
    await Promise.all([early?.dataReading, counting]);
    throw new ApiError('organization_suspended');
  }
  const { valid, dataReading } = early ?? begin();
  if ('error' in valid) {
    // What a member got wrong counts, too.
    await counting;
    throw valid.error;
  }
  const data = await dataReading;
  const assertAllowed = async () =>
    void (await readAllowed(operation, caller, organizationId, request));
  return {
    ...valid.value,
    call: { ...valid.value.call, role, spender, assertAllowed, limit: count },
    data,
    counting,
  };
};

/** Throws `unauthenticated` or `forbidden` if the caller may not do this. */
const readAllowed = async (
  operation: AnyOperation,
  caller: Caller,
  organizationId: string | undefined,
  { table, memory }: OpenRequest,
): Promise<Standing> => {
  const [name, platformKey] = [nameOf(operation, caller, organizationId), platformKeyOf(caller)];
  const isKnown = memory.callers.get(name) !== undefined || memory.platformKeys.has(platformKey);
  memory.callers.delete(name);
  memory.platformKeys.delete(platformKey);
  const standing = await readStanding(table, organizationId, caller, Date.now(), isKnown);
  if (platformKey) memory.platformKeys.add(platformKey);
  if (!standing || !isAllowed(caller, standing.role, operation.permission)) {
    throw notAllowed(standing?.role, operation.permission);
  }
  memory.callers.set(name, standing.organizationId);
  return standing;
};

/** A caller's name, with the secret: whoever has another secret with a known id is a stranger. */
const nameOf = (
  { permission }: AnyOperation,
  { userId, apiKey }: Caller,
  organizationId: string | undefined,
): string => `${permission} ${organizationId ?? ''} ${userId} ${apiKey?.digest ?? ''}`;

/** What a platform key is remembered by, which is its secret; empty for all other callers. */
const platformKeyOf = ({ apiKey }: Caller): string =>
  apiKey?.kind === 'platform' ? apiKey.digest : '';

/** What the operation's `read` gives for a valid request. Never rejects. */
export const readData = async (
  operation: AnyOperation,
  valid: Settled<{ call: Call }>,
  table: TableClient,
): Promise<Settled<unknown>> => {
  if ('error' in valid) return valid;
  try {
    return { value: await operation.read?.(valid.value.call, table) };
  } catch (error) {
    return { error };
  }
};

/** Counts the request, and the use of its API key. Never rejects. */
const countUse = async (
  { table, memory }: OpenRequest,
  { apiKey }: Caller,
  organizationId: string,
  count: CostCount,
): Promise<void> => {
  await Promise.all([
    count.countOne(),
    apiKey && memory.apiKeyUses.note(table, useKeyOf(organizationId, apiKey), Date.now()),
  ]);
};
