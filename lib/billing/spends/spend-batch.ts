import * as z from 'zod/mini';
import { errorFields } from '../../errors/error-body.ts';
import { ApiError } from '../../errors/errors.ts';
import { balance } from '../stored/balance.ts';
import { eventId, notAfter, ownEventId } from '../terms/fields.ts';
import { purposeInput } from '../terms/purpose.ts';
import { someStars } from '../terms/stars.ts';
import type { UpdateResult } from '../writer/decisions.ts';

/** Most spends of a batch: with the wallet and its notices, they fit into one transaction. */
const mostSpends = 25;

/** The body of `POST /billing/spends`. */
export const spendBatch = z
  .strictObject({
    spends: z
      .array(
        z.strictObject({
          event_id: ownEventId(),
          stars: someStars(),
          ...purposeInput,
          not_after: z.optional(notAfter()),
        }),
      )
      .check(z.minLength(1), z.maxLength(mostSpends)),
  })
  .check(z.meta({ id: 'SpendBatch' }));

/** In the order of the request: the balance after each spend, or why it was not made. */
export const spendBatchResult = z
  .strictObject({
    items: z
      .array(
        z.union([
          z.strictObject({
            event_id: eventId(),
            status: z.union([z.literal(200), z.literal(201)]),
            balance,
          }),
          z.strictObject({
            event_id: eventId(),
            status: z.int().check(z.gte(400), z.lte(599)),
            error: z.strictObject(errorFields),
          }),
        ]),
      )
      .check(z.minLength(1), z.maxLength(mostSpends)),
  })
  .check(z.meta({ id: 'SpendBatchResult' }));
export type SpendBatchResult = z.output<typeof spendBatchResult>;

/** An error that may pass a moment later is no outcome: it fails the whole batch, which is safe to repeat. */
const passing = new Set<ApiError['code']>([
  'write_conflict',
  'unavailable',
  'timeout',
  'rate_limited',
]);

/** The answer to one spend of a batch. Throws errors that fail the whole batch. */
export const toSpendResult = (
  event_id: string,
  result: UpdateResult,
): SpendBatchResult['items'][number] => {
  if ('record' in result) {
    return { event_id, status: result.isRepeat ? 200 : 201, balance: result.record.balance };
  }
  const { error } = result;
  if (!(error instanceof ApiError) || passing.has(error.code)) throw error;
  const { code, message, details, kind } = error;
  return {
    event_id,
    status: kind.status,
    error: { code, message, ...(details && { details: [...details] }) },
  };
};
