import { ApiError } from '../../../errors/errors.ts';
import type { AnyPlatformOperation } from '../../../operations/kinds/platform-operation.ts';
import type { PlatformCall } from '../../../operations/request.ts';
import { type Caller, isAllowed, readPlatformRole } from '../../../organizations/caller.ts';
import type { HttpRequest } from '../chain.ts';
import type { RequestContext, TableContext } from '../envelope.ts';
import { readPlatformCall } from '../validation.ts';

/**
 * Admits requests with a platform key whose role may do this. All others hear `forbidden`, and cost nothing. Throws
 * `unauthenticated` for a platform key that is none now, and then what is wrong with the request.
 */
export const admitPlatform = async (
  operation: AnyPlatformOperation,
  state: RequestContext & Caller & TableContext,
  event: HttpRequest['event'],
): Promise<PlatformCall> => {
  const { apiKey, table } = state;
  if (apiKey?.kind !== 'platform') throw new ApiError('forbidden');
  const role = await readPlatformRole(table, apiKey, Date.now());
  if (!isAllowed(state, role, operation.permission)) throw new ApiError('forbidden');
  return readPlatformCall(operation, state, event);
};
