import * as z from 'zod/mini';
import { errorFields } from '../errors/error-body.ts';
import { ApiError } from '../errors/errors.ts';
import type { Table } from '../table/table.ts';
import { applyEvents, type Outcome, readEventsItems } from './apply-event.ts';
import { balance } from './balance.ts';
import { toRefusalError, type WalletTable } from './change-wallet.ts';
import { eventId, notAfter } from './fields.ts';
import { purposeInput } from './purpose.ts';
import { someStars } from './stars.ts';
import type { BatchItems, Result } from './wallet-batch.ts';

/** Most spends of a batch: with the wallet and its notices, they fit into one transaction. */
const mostSpends = 25;

/** The body of `POST /billing/spends`. */
export const spendBatch = z
  .strictObject({
    spends: z
      .array(
        z.strictObject({
          event_id: eventId(),
          stars: someStars(),
          ...purposeInput,
          not_after: z.optional(notAfter()),
        }),
      )
      .check(z.minLength(1), z.maxLength(mostSpends)),
  })
  .check(z.meta({ id: 'SpendBatch' }));
type SpendBatch = z.output<typeof spendBatch>;

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

/** What may succeed a moment later is no outcome: it fails the whole batch, which is safe to repeat. */
const passing = new Set<ApiError['code']>(['write_conflict', 'unavailable', 'timeout']);

const toEvents = (organization_id: string, { spends }: SpendBatch) =>
  spends.map(({ not_after: _, ...content }) => ({
    type: 'stars.spent' as const,
    organization_id,
    ...content,
  }));

/** What making the spends reads first, in one request. */
export const readSpendBatchItems = (
  table: Table<'GetItem'>,
  organizationId: string,
  batch: SpendBatch,
): Promise<BatchItems> => readEventsItems(table, organizationId, toEvents(organizationId, batch));

/** Makes the spends in one transaction, each with an outcome of its own, as if one after another. */
export const spendInBatch = async (
  table: WalletTable,
  organizationId: string,
  batch: SpendBatch,
  items: BatchItems,
): Promise<SpendBatchResult> => {
  const { spends } = batch;
  const events = toEvents(organizationId, batch);
  const notAfter = spends.map(({ not_after }) => not_after);
  const results = await applyEvents(table, organizationId, events, { notAfter, items });
  return { items: results.map((result, i) => toItem(spends[i]!.event_id, result)) };
};

const toItem = (event_id: string, result: Result<Outcome>): SpendBatchResult['items'][number] => {
  const error = errorOf(result);
  if (!error) {
    const { outcome } = result as { outcome: Outcome };
    return { event_id, status: outcome.isRepeat ? 200 : 201, balance: outcome.balance };
  }
  if (!(error instanceof ApiError) || passing.has(error.code)) throw error;
  const { code, message, details, kind } = error;
  return {
    event_id,
    status: kind.status,
    error: { code, message, ...(details && { details: [...details] }) },
  };
};

const errorOf = (result: Result<Outcome>): unknown => {
  if ('error' in result) return result.error;
  const { refusal, balance } = result.outcome;
  return refusal && toRefusalError(refusal, balance);
};
