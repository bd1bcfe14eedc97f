import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import { absent } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { Kind } from '../table/kind.ts';
import type { Table, Write } from '../table/table.ts';
import { check } from '../table/write.ts';

// docs/decisions/erasing-organizations.md
/** What stays of an organization that was erased: its id, so that it is never made again. */
export const tombstoneKind = new Kind(places.tombstone, {
  holds: 'that an organization was erased',
  attributes: z.object({
    began_at: z.iso.datetime(),
    /** Absent while something may be left. */
    erased_at: z.optional(z.iso.datetime()),
    /** The ledger stays. */
    keeps_ledger: z.optional(z.literal(true)),
  }),
});

/** Whether an organization was erased, or is being erased; strongly consistent. */
export const isErased = async (table: Table<'GetItem'>, organizationId: string): Promise<boolean> =>
  (await table.get(tombstoneKind.key({ organizationId }))) !== undefined;

/** Refused with `organization_id_reused` for an organization that was erased. */
export const assertNeverErased = (organizationId: string): Write<'ConditionCheckItem'> =>
  check(
    tombstoneKind.key({ organizationId }),
    absent,
    () => new ApiError('organization_id_reused'),
  );
