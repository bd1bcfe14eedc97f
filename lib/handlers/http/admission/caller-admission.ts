import { ApiError } from '../../../errors/errors.ts';
import type { AnyCallerOperation } from '../../../operations/kinds/caller-operation.ts';
import type { PresentedKey } from '../../../operations/presented-key.ts';
import type { CallerCall, OwnApiKey } from '../../../operations/request.ts';
import {
  type Caller,
  permissionsOf,
  readOwnApiKey,
  readPlatformKey,
  useKeyOf,
} from '../../../organizations/caller.ts';
import { userRequestCounterKind } from '../../../organizations/request-counter.ts';
import { usualPerSecond } from '../../../organizations/request-limit.ts';
import type { HttpRequest } from '../chain.ts';
import type { RequestContext, TableContext } from '../envelope.ts';
import { readOrganizationId } from '../organization.ts';
import { readCallerCall } from '../validation.ts';
import { ApiKeyUses } from './api-key-uses.ts';
import { Limiter } from './limiter.ts';

type State = RequestContext & Caller & TableContext;

/** What the operation's `handle` needs, once the caller may have it. */
export interface AdmittedCaller {
  call: CallerCall;
  /** Rejects with `rate_limited`. What is read meanwhile waits for it after the first read. */
  verdict: Promise<void>;
  /** Ends once the request is counted, and the use of its API key. Never rejects. */
  counting: Promise<void>;
}

// docs/decisions/platform-keys.md
/**
 * Decides who may do what is done in no organization. What is there for every user is counted by user; what only platform
 * keys may, by nobody.
 */
export class CallerAdmission {
  readonly #operation: AnyCallerOperation;
  readonly #users = new Limiter({
    keyOf: (userId) => userRequestCounterKind.key({ userId }),
    usualPerSecond: () => usualPerSecond,
    isEventual: true,
  });
  readonly #apiKeyUses = new ApiKeyUses();

  constructor(operation: AnyCallerOperation) {
    this.#operation = operation;
  }

  /**
   * Where only a platform key may, throws `forbidden` for all others, which costs nothing. Else throws `unauthenticated`
   * for a key that is none now, or none of the organization that the header names, `forbidden` where its role may not do
   * this, `rate_limited`, and then what is wrong with the request.
   */
  async admit(state: State, event: HttpRequest['event']): Promise<AdmittedCaller> {
    const { apiKey, table } = state;
    const { scope, permission } = this.#operation;
    if (scope === 'platform' && apiKey?.kind !== 'platform') throw new ApiError('forbidden');
    const ownApiKey = apiKey && (await readKey(state, apiKey));
    if (permission && !ownApiKey?.permissions.includes(permission)) throw new ApiError('forbidden');
    const { verdict, counted } = scope === 'user' ? this.#judge(state) : free;
    const noted =
      apiKey &&
      this.#apiKeyUses.note(table, useKeyOf(ownApiKey?.organizationId ?? '', apiKey), Date.now());
    const counting = Promise.all([counted, noted]).then(() => {});
    try {
      const call = { ...readCallerCall(this.#operation, state, event), ownApiKey };
      return { call, verdict, counting };
    } catch (error) {
      await verdict;
      await counting;
      throw error;
    }
  }

  /** Reads the user's counter, and counts the request. */
  #judge(state: State): Pick<AdmittedCaller, 'verdict'> & { counted: Promise<void> } {
    this.#users.assertNotJustRefused(state, state.userId);
    const { count, counter } = this.#users.start(state, state.userId);
    state.endings.push(() => count.end());
    const verdict = counter.then((read) => count.admit(read));
    const counted = verdict.then(
      () => count.countOne(),
      () => {},
    );
    return { verdict, counted };
  }
}

/** What is counted by nobody. */
const free = { verdict: Promise.resolve(), counted: Promise.resolve() };

const readKey = async ({ headers, table }: State, apiKey: PresentedKey): Promise<OwnApiKey> => {
  const named = readOrganizationId(headers);
  const now = Date.now();
  const key =
    apiKey.kind === 'platform'
      ? { ...(await readPlatformKey(table, apiKey, now)), organization_id: named }
      : await readOwnApiKey(table, named, apiKey, now);
  const { name, key_role: role, organization_id: organizationId } = key;
  return { id: apiKey.id, name, role, permissions: permissionsOf(role, apiKey), organizationId };
};
