import { ApiError } from '../../../errors/errors.ts';
import type { AnyPlatformOperation } from '../../../operations/kinds/platform-operation.ts';
import type { PlatformCall } from '../../../operations/request.ts';
import { type Caller, isAllowed, readPlatformRole } from '../../../organizations/caller.ts';
import { platformKeyUseKey } from '../../../table/keys.ts';
import type { HttpRequest } from '../chain.ts';
import type { RequestContext, TableContext } from '../envelope.ts';
import { readPlatformCall } from '../validation.ts';
import { ApiKeyUses } from './api-key-uses.ts';

/** What the operation's `handle` needs, once the caller may have it. */
export interface AdmittedPlatformRequest {
  call: PlatformCall;
  /** Ends once the use of the key is noted. Never rejects. */
  noting: Promise<void>;
}

// docs/decisions/platform-keys.md
/** Decides which requests of a platform operation are admitted. No limit counts them. */
export class PlatformAdmission {
  readonly #operation: AnyPlatformOperation;
  readonly #apiKeyUses = new ApiKeyUses();

  constructor(operation: AnyPlatformOperation) {
    this.#operation = operation;
  }

  /**
   * Throws `forbidden` for all who have no platform key, which costs nothing; else `unauthenticated` for a key that is
   * none now, else `forbidden` where its role may not do this, else what is wrong with the request.
   */
  async admit(
    state: RequestContext & Caller & TableContext,
    event: HttpRequest['event'],
  ): Promise<AdmittedPlatformRequest> {
    const { apiKey, table } = state;
    if (apiKey?.kind !== 'platform') throw new ApiError('forbidden');
    const role = await readPlatformRole(table, apiKey, Date.now());
    if (!isAllowed(state, role, this.#operation.permission)) throw new ApiError('forbidden');
    const noting = this.#apiKeyUses.note(table, platformKeyUseKey(apiKey.id), Date.now());
    try {
      return { call: readPlatformCall(this.#operation, state, event), noting };
    } catch (error) {
      await noting;
      throw error;
    }
  }
}
