import { forbidden } from '../errors/errors.ts';
import type { AnyCallerOperation } from '../operations/kinds/caller-operation.ts';
import type { PresentedKey } from '../operations/presented-key.ts';
import type { CallerCall, OwnApiKey } from '../operations/request.ts';
import {
  type Caller,
  notAllowed,
  permissionsOf,
  readOwnApiKey,
  readPlatformKey,
  useKeyOf,
} from '../organizations/caller.ts';
import type { TableClient } from '../table/client.ts';
import { type Input, readCallerCall } from './input.ts';
import type { OpenRequest } from './open-request.ts';

/** What the operation's `handle` needs, once the caller may have it. */
export interface AdmittedCaller {
  call: CallerCall;
  /** Rejects with `rate_limited`. What is read meanwhile waits for it after the first read. */
  verdict: Promise<void>;
  /** Ends once the request is counted, and the use of its API key. Never rejects. */
  counting: Promise<void>;
}

// docs/decisions/api-keys.md
/**
 * Admits a request in no organization. Where only a platform key may, throws `forbidden` for all others, which costs
 * nothing. Else throws `unauthenticated` for a key that is none now, or none of the organization that the request names,
 * `forbidden` where its role may not do this, `rate_limited`, and then what is wrong with the request.
 */
export const admitCaller = async (
  operation: AnyCallerOperation,
  caller: Caller,
  named: string | undefined,
  input: Input,
  request: OpenRequest,
): Promise<AdmittedCaller> => {
  const { apiKey } = caller;
  const { table, memory } = request;
  const { scope, permission } = operation;
  if (scope === 'platform' && apiKey?.kind !== 'platform') {
    throw forbidden('Authorization', 'must have a platform key');
  }
  const ownApiKey = apiKey && (await readKey(table, apiKey, named));
  if (permission && !ownApiKey?.permissions.includes(permission)) {
    throw notAllowed(ownApiKey?.role, permission);
  }
  // Requests that every user may send are counted by user; requests that only platform keys may send are not counted.
  const { verdict, counted } = scope === 'user' ? judgeUser(caller, request) : free;
  const noted =
    apiKey &&
    memory.apiKeyUses.note(table, useKeyOf(ownApiKey?.organizationId ?? '', apiKey), Date.now());
  const counting = Promise.all([counted, noted]).then(() => {});
  try {
    const call = { ...readCallerCall(operation, caller, input, request), ownApiKey };
    return { call, verdict, counting };
  } catch (error) {
    await verdict;
    await counting;
    throw error;
  }
};

/** The answer for requests that are not counted. */
const free = { verdict: Promise.resolve(), counted: Promise.resolve() };

/** Reads the user's counter, and counts the request. */
const judgeUser = ({ userId }: Caller, request: OpenRequest) => {
  const { users } = request.memory;
  users.assertNotJustRefused(request, userId);
  const { count, counter } = users.start(request, userId);
  request.endings.push(() => count.end());
  const verdict = counter.then((read) => count.admit(read));
  const counted = verdict.then(
    () => count.countOne(),
    () => {},
  );
  return { verdict, counted };
};

const readKey = async (
  table: TableClient,
  apiKey: PresentedKey,
  named: string | undefined,
): Promise<OwnApiKey> => {
  const now = Date.now();
  const key =
    apiKey.kind === 'platform'
      ? { ...(await readPlatformKey(table, apiKey, now)), organization_id: named }
      : await readOwnApiKey(table, named, apiKey, now);
  const { name, key_role: role, organization_id: organizationId } = key;
  return { id: apiKey.id, name, role, permissions: permissionsOf(role, apiKey), organizationId };
};
