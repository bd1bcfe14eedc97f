import * as z from 'zod/mini';
import { errorFields } from '../../errors/error-body.ts';
import { ApiError } from '../../errors/errors.ts';
import { etagText } from '../../schema/etag.ts';
import { uuid } from '../../schema/fields.ts';
import { issueDetails } from '../../schema/issues.ts';
import { lead, leadInput, leadPatch } from '../lead.ts';
import { matchFields, upsertFields } from '../upsert-schema.ts';

const mostLeads = 100;

/** A part of a batch: what is asked for, or what was sent and why that is not valid. */
export type BatchPart<T> = { input: T } | { sent: unknown; invalid: ApiError };

const parsePart = <T>(schema: z.ZodMiniType<T>, sent: unknown): BatchPart<T> => {
  const result = z.safeParse(schema, sent);
  if (result.success) return { input: result.data };
  const details = issueDetails(result.error);
  return { sent, invalid: new ApiError('invalid_request', { details }) };
};

/** A list of leads, whose elements are looked into one by one; callers are told what each has to be. */
const partList = (documentedAs: z.ZodMiniType) =>
  z
    .array(z.unknown().check(z.meta({ documentedAs })))
    .check(
      z.minLength(1),
      z.maxLength(mostLeads),
      z.describe('One that is not valid is refused by itself.'),
    );

/** The body of `POST /leads/batch`: with `match` it holds upserts, otherwise new leads. */
export const batchInput = z.pipe(
  z
    .strictObject({
      match: z.optional(matchFields.match),
      move: matchFields.move,
      dry_run: z
        .optional(z.boolean())
        .check(
          z.describe(
            'Says what would become of each lead, and stores nothing: the ids are of no lead. Each is looked at by itself, as if there were no others in the request.',
          ),
        ),
      leads: partList(z.union([leadInput, leadPatch])),
    })
    .check(
      z.refine(({ match, move }) => match !== undefined || move === undefined, {
        path: ['move'],
        error: 'goes with match',
      }),
      z.meta({ id: 'LeadBatch' }),
    ),
  z.transform(({ match, move, dry_run = false, leads }) =>
    match === undefined
      ? { dry_run, leads: leads.map((one) => parsePart(leadInput, one)) }
      : { match, move, dry_run, leads: leads.map((one) => parsePart(leadPatch, one)) },
  ),
);

const leadUpdate = z
  .strictObject({
    id: uuid(),
    patch: leadPatch,
    if_match: z
      .optional(etagText())
      .check(z.describe('The `ETag` of the only version to change, with its quotation marks.')),
  })
  .check(z.meta({ id: 'LeadBatchChange' }));
export type LeadBatchUpdate = z.output<typeof leadUpdate>;

/** The body of `PATCH /leads/batch`. */
export const changesInput = z
  .strictObject({
    leads: z.pipe(
      partList(leadUpdate),
      z.transform((all) => all.map((one) => parsePart(leadUpdate, one))),
    ),
  })
  .check(z.meta({ id: 'LeadChanges' }));

const refusal = z.strictObject({
  status: z.int().check(z.gte(400), z.lte(599)),
  error: z.strictObject(errorFields),
});
export type RefusedPart = z.output<typeof refusal>;

const resultSchema = <T extends z.core.SomeType>(outcomes: T, id: string) =>
  z
    .strictObject({ items: z.array(outcomes).check(z.minLength(1), z.maxLength(mostLeads)) })
    .check(z.meta({ id }));

/**
 * In the order of the request: the lead with its status, or its error with that error's status. An upsert
 * has its outcome too.
 */
export const batchResult = resultSchema(
  z.union([
    z.strictObject({
      status: z.union([z.literal(200), z.literal(201)]),
      lead,
      outcome: z.optional(upsertFields.outcome),
    }),
    refusal,
  ]),
  'LeadBatchResult',
);
export type BatchResult = z.output<typeof batchResult>;

/** In the order of the request: the lead after its patch with its `ETag`, or its error. */
export const changesResult = resultSchema(
  z.union([z.strictObject({ status: z.literal(200), etag: z.string(), lead }), refusal]),
  'LeadChangesResult',
);
export type ChangesResult = z.output<typeof changesResult>;
