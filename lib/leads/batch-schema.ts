import * as z from 'zod/mini';
import { errorFields } from '../operations/error-body.ts';
import { ApiError } from '../operations/errors.ts';
import { issueDetails } from '../schema/issues.ts';
import { type LeadInput, lead, leadInput } from './lead.ts';

const mostLeads = 100;

/** A lead of a batch: what is asked for, or what was sent and why that is not valid. */
export type Entry = { lead: LeadInput } | { sent: unknown; invalid: ApiError };

const entryOf = (sent: unknown): Entry => {
  const result = z.safeParse(leadInput, sent);
  if (result.success) return { lead: result.data };
  const details = issueDetails(result.error);
  return { sent, invalid: new ApiError('invalid_request', { details }) };
};

/** The body of `POST /leads/batch`. Each lead is checked by itself; callers are told what it has to be. */
export const batchInput = z
  .strictObject({
    leads: z
      .array(z.pipe(z.unknown().check(z.meta({ documentedAs: leadInput })), z.transform(entryOf)))
      .check(
        z.minLength(1),
        z.maxLength(mostLeads),
        z.describe('One that is not valid is refused by itself.'),
      ),
  })
  .check(z.meta({ id: 'LeadBatch' }));

const refusal = z.strictObject({
  status: z.int().check(z.gte(400), z.lte(599)),
  error: z.strictObject(errorFields),
});
export type Refusal = z.output<typeof refusal>;

/** In the order of the request: the lead with 201, or its error with that error's status. */
export const batchResult = z
  .strictObject({
    items: z
      .array(z.union([z.strictObject({ status: z.literal(201), lead }), refusal]))
      .check(z.minLength(1), z.maxLength(mostLeads)),
  })
  .check(z.meta({ id: 'LeadBatchResult' }));
export type BatchResult = z.output<typeof batchResult>;
export type Outcome = BatchResult['items'][number];
