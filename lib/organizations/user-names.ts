import * as z from 'zod/mini';
import { platform } from '../facts/origin.ts';
import type { Table } from '../table/table.ts';
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
      'What the user or API key is called, also one that is gone; `platform` for the company’s own backend. `null` for who has no name, and for a caller without `members:read`.',
    ),
  );

/** Gives what a user is called. */
type NameOf = (userId: string | null) => string | null;

/**
 * Reads what users and API keys are called, for a caller who may know it. Where a name has just changed, it may be the
 * old name. One request to the table.
 */
export const readUserNames = async (
  table: Table<'GetItem'>,
  call: CallerInOrganization,
  all: readonly { user_id: string | null }[],
): Promise<NameOf> => {
  if (!isAllowed(call, call.role, 'members:read')) return () => null;
  return readNames(table, call.organizationId, all);
};

/** Reads what users and API keys are called, for the company itself. */
export const readNames = async (
  table: Table<'GetItem'>,
  organizationId: string,
  all: readonly { user_id: string | null }[],
): Promise<NameOf> => {
  const makers = new Set(all.flatMap(({ user_id }) => user_id ?? []));
  const ids = [...makers].filter((id) => id !== platform);
  const items = await table.getAllEventually(ids.map((id) => nameKind.key({ organizationId, id })));
  const names = new Map(ids.map((id, i) => [id, items[i]?.name ?? null]));
  return (userId) => (userId === platform ? platform : (names.get(userId ?? '') ?? null));
};

/** All items, each with the name of its user. */
export const withUserNames = async <T extends { user_id: string | null }>(
  table: Table<'GetItem'>,
  call: CallerInOrganization,
  all: readonly T[],
): Promise<(T & { user_name: string | null })[]> => {
  const nameOf = await readUserNames(table, call, all);
  return all.map((one) => ({ ...one, user_name: nameOf(one.user_id) }));
};
