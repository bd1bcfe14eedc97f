import * as z from 'zod/mini';
import type { Table } from '../table/table.ts';
import { platformKeyKind } from './api-keys/stored-api-key.ts';
import { type CallerInOrganization, isAllowed } from './caller.ts';
import { nameKind } from './names.ts';

/** The schema of something that someone did, with what that user is called. */
export const named = <Shape extends z.core.$ZodLooseShape>(
  one: z.ZodMiniObject<Shape>,
  id: string,
) => z.strictObject({ ...one.shape, user_name: userName }).check(z.meta({ id }));

const userName = z
  .nullable(z.string())
  .check(
    z.describe(
      'What the user or API key is called, also one that is gone; `platform` for a platform key. `null` for who has no name, and for a caller without `members:read`.',
    ),
  );

/** Gives what a user is called. */
type NameOf = (userId: string | null) => string | null;

/**
 * Reads what users and API keys are called, for a caller who may know it. A name that has just changed may be the one
 * before. One request to the table.
 */
export const readUserNames = async (
  table: Table<'GetItem'>,
  call: CallerInOrganization,
  all: readonly { user_id: string | null }[],
): Promise<NameOf> => {
  if (!isAllowed(call, call.role, 'members:read')) return () => null;
  const { organizationId } = call;
  const ids = [...new Set(all.flatMap(({ user_id }) => user_id ?? []))];
  const [names, platformKeys] = await Promise.all([
    table.getAllEventually(ids.map((id) => nameKind.key({ organizationId, id }))),
    table.getAllEventually(ids.map((keyId) => platformKeyKind.key({ keyId }))),
  ]);
  return (userId) => {
    const i = ids.indexOf(userId ?? '');
    return names[i]?.name ?? (platformKeys[i] ? 'platform' : null);
  };
};

/** Each of these with what its user is called. */
export const withUserNames = async <T extends { user_id: string | null }>(
  table: Table<'GetItem'>,
  call: CallerInOrganization,
  all: readonly T[],
): Promise<(T & { user_name: string | null })[]> => {
  const nameOf = await readUserNames(table, call, all);
  return all.map((one) => ({ ...one, user_name: nameOf(one.user_id) }));
};
