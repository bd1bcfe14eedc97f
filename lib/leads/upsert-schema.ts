import * as z from 'zod/mini';
import { lookupFields } from './contacts.ts';
import { lead, leadPatch } from './lead.ts';

/** How an upsert finds the lead that it means. */
export const matchFields = {
  match: z
    .enum(lookupFields)
    .check(z.describe('The field by which to find the lead. The lead that is sent must have it.')),
  move: z
    .optional(z.boolean())
    .check(
      z.describe(
        'Whether a lead that is found moves to the pipeline that is named. Otherwise it stays where it is, and a `stage` is left out.',
      ),
    ),
};

/** The body of `POST /leads/upsert`. */
export const upsertInput = z
  .strictObject({ ...matchFields, lead: leadPatch })
  .check(z.meta({ id: 'LeadUpsert' }));

/** The outcome for the lead, and the lead as it is now. */
export const upsertFields = {
  outcome: z.enum(['created', 'updated', 'unchanged']),
  lead,
};
export const upsertResult = z.strictObject(upsertFields).check(z.meta({ id: 'LeadUpsertResult' }));
export type UpsertResult = z.output<typeof upsertResult>;
