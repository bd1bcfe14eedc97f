import * as z from 'zod/mini';
import type { MemberCall } from '../operations/request.ts';
import type { Table } from '../table/table.ts';
import { platformKeyKind } from './api-keys/stored-api-key.ts';
import { isAllowed } from './caller.ts';
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

/**
 * Each of these with the name of its user. A name that has just changed may be the one before. One request to the table.
 */
export const withUserNames = async <T extends { user_id: string | null }>(
  table: Table<'GetItem'>,
  call: Pick<MemberCall, 'organizationId' | 'role' | 'userId' | 'apiKey'>,
  all: readonly T[],
): Promise<(T & { user_name: string | null })[]> => {
  const ids = [...new Set(all.flatMap(({ user_id }) => user_id ?? []))];
  const names = isAllowed(call, call.role, 'members:read')
    ? await readNames(table, call.organizationId, ids)
    : new Map<string, string>();
  return all.map((one) => ({ ...one, user_name: names.get(one.user_id ?? '') ?? null }));
};

const readNames = async (
  table: Table<'GetItem'>,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, string>> => {
  const [items, platformKeys] = await Promise.all([
    table.getAllEventually(ids.map((id) => nameKind.key({ organizationId, id }))),
    table.getAllEventually(ids.map((keyId) => platformKeyKind.key({ keyId }))),
  ]);
  const nameOf = (i: number) => items[i]?.name ?? (platformKeys[i] && 'platform');
  return new Map(
    ids.flatMap((id, i) => [[id, nameOf(i) ?? '']] as const).filter(([, name]) => name),
  );
};
