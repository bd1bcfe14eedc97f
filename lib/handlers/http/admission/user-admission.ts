import type { AnyUserOperation } from '../../../operations/kinds/user-operation.ts';
import type { PresentedKey } from '../../../operations/presented-key.ts';
import type { OwnApiKey, SelfCall } from '../../../operations/request.ts';
import {
  type Caller,
  permissionsOf,
  readOwnApiKey,
  readPlatformKey,
  useKeyOf,
} from '../../../organizations/caller.ts';
import type { HttpRequest } from '../chain.ts';
import type { RequestContext, TableContext } from '../envelope.ts';
import { readOrganizationId, refuseWithout } from '../organization.ts';
import { readUserCall } from '../validation.ts';
import { ApiKeyUses } from './api-key-uses.ts';

type State = RequestContext & Caller & TableContext;

/** Admits everyone with a valid token, or a valid API key. */
export class UserAdmission {
  readonly #operation: AnyUserOperation;
  readonly #apiKeyUses = new ApiKeyUses();

  constructor(operation: AnyUserOperation) {
    this.#operation = operation;
  }

  /**
   * Throws `invalid_request` for an API key of an organization without the header that names it, `unauthenticated` for a
   * key that is none there, and then what is wrong with the request.
   */
  async admit(state: State, event: HttpRequest['event']): Promise<SelfCall> {
    const { apiKey } = state;
    if (!apiKey) return readUserCall(this.#operation, state, event);
    const ownApiKey = await this.#readKey(state, apiKey);
    return { ...readUserCall(this.#operation, state, event), ownApiKey };
  }

  /** Reads the key, and notes its use. */
  async #readKey({ headers, table }: State, apiKey: PresentedKey): Promise<OwnApiKey> {
    const organizationId = readOrganizationId(headers);
    const now = Date.now();
    const { name, key_role: role } =
      apiKey.kind === 'platform'
        ? await readPlatformKey(table, apiKey, now)
        : await readOwnApiKey(table, organizationId ?? refuseWithout(), apiKey, now);
    await this.#apiKeyUses.note(table, useKeyOf(organizationId ?? '', apiKey), now);
    const permissions = permissionsOf(role, apiKey);
    return { id: apiKey.id, name, role, permissions, organizationId };
  }
}
