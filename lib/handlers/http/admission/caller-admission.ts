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
import type { HttpRequest } from '../chain.ts';
import type { RequestContext, TableContext } from '../envelope.ts';
import { readOrganizationId } from '../organization.ts';
import { readCallerCall } from '../validation.ts';
import { ApiKeyUses } from './api-key-uses.ts';

type State = RequestContext & Caller & TableContext;

/** What the operation's `handle` needs, once the caller may have it. */
export interface AdmittedCaller {
  call: CallerCall;
  /** Ends once the use of the API key is noted. Never rejects. */
  noting: Promise<void> | undefined;
}

// docs/decisions/platform-keys.md
/** Decides who may do what is done in no organization. No limit counts these requests. */
export class CallerAdmission {
  readonly #operation: AnyCallerOperation;
  readonly #apiKeyUses = new ApiKeyUses();

  constructor(operation: AnyCallerOperation) {
    this.#operation = operation;
  }

  /**
   * Where only a platform key may, throws `forbidden` for all others, which costs nothing. Else throws `unauthenticated`
   * for a key that is none now, or none of the organization that the header names, `forbidden` where its role may not do
   * this, and then what is wrong with the request.
   */
  async admit(state: State, event: HttpRequest['event']): Promise<AdmittedCaller> {
    const { apiKey, table } = state;
    const { scope, permission } = this.#operation;
    if (scope === 'platform' && apiKey?.kind !== 'platform') throw new ApiError('forbidden');
    const ownApiKey = apiKey && (await readKey(state, apiKey));
    if (permission && !ownApiKey?.permissions.includes(permission)) throw new ApiError('forbidden');
    const noting =
      apiKey &&
      this.#apiKeyUses.note(table, useKeyOf(ownApiKey?.organizationId ?? '', apiKey), Date.now());
    try {
      return { call: { ...readCallerCall(this.#operation, state, event), ownApiKey }, noting };
    } catch (error) {
      await noting;
      throw error;
    }
  }
}

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
