import * as z from 'zod/mini';
import { walletGrants } from '../../lib/billing/change-wallet.ts';
import { eventId } from '../../lib/billing/fields.ts';
import { holdEnd, release } from '../../lib/billing/holds/holds.ts';
import { serveInternal } from '../../lib/handlers/invoke.ts';
import { defineInternalOperation } from '../../lib/operations/kinds/internal-operation.ts';
import { uuid } from '../../lib/schema/fields.ts';

export const operation = defineInternalOperation({
  id: 'releaseHold',
  summary: 'Returns the stars of a hold, none of them spent.',
  request: { body: z.strictObject({ organization_id: uuid(), hold_id: eventId() }) },
  response: { body: holdEnd },
  errors: ['already_captured', 'already_released', 'hold_expired', 'write_conflict'],
  table: walletGrants,

  handle: (input, table) => release(table, input),
});

export const handler = serveInternal(operation);
