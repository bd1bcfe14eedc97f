import type { MiddlewareObj } from '@middy/core';
import { validate } from 'uuid';
import { ApiError, invalid } from '../errors.ts';
import { readRole } from '../organizations/members.ts';
import { type Permission, type Role, rolePermissions } from '../permissions.ts';
import type { Table } from '../table/table.ts';
import { type ChainContext, type ChainRequest, singleHeader } from './exchange.ts';

const header = 'X-Organization-Id';

/**
 * Starts to read the caller's membership of the active organization. The operation may read
 * meanwhile; whoever answers awaits `exchange.membership` first.
 */
export const membership = (
  tableFor: (context: ChainContext) => Table<'GetItem'>,
  permission: Permission,
): MiddlewareObj => ({
  before: (request) => {
    const { context } = request as ChainRequest;
    const { exchange } = context;
    const value = singleHeader(exchange, header);
    if (value === undefined) throw invalid(header, 'is required');
    if (!validate(value)) throw invalid(header, 'must be a UUID');
    exchange.organizationId = value.toLowerCase();
    exchange.membership = permittedRole(
      tableFor(context),
      exchange.organizationId,
      exchange.userId ?? '',
      permission,
    );
    // Whoever awaits it hears of a rejection; meanwhile it must not end the process.
    exchange.membership.catch(() => {});
  },
  // A stranger hears `forbidden`, not what else is wrong with the request.
  onError: async (request) => {
    try {
      await (request as ChainRequest).context.exchange.membership;
    } catch (error) {
      request.error = error as Error;
    }
  },
});

const permittedRole = async (
  table: Table<'GetItem'>,
  organizationId: string,
  userId: string,
  permission: Permission,
): Promise<Role> => {
  const role = await readRole(table, organizationId, userId);
  if (!role || !rolePermissions[role].has(permission)) throw new ApiError('forbidden');
  return role;
};
