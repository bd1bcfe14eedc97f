import { balance, toBalance, toWallet } from '../../lib/billing/wallet.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { ApiError } from '../../lib/operations/errors.ts';
import { defineOperation } from '../../lib/operations/operation.ts';
import { walletKey } from '../../lib/table/keys.ts';

export const operation = defineOperation({
  id: 'getBalance',
  summary: 'Get balance',
  description:
    'Reads how many stars the organization has. Monthly stars count until their period ends, pack stars stay. Spending takes monthly ones first.',
  method: 'GET',
  path: '/billing/balance',
  permission: 'billing:read',
  request: {},
  response: { status: 200, body: balance },
  errors: [],
  table: ['GetItem'],

  // Consistent, so that whoever has just spent stars does not see them again.
  read: ({ organizationId }, table) => table.get(walletKey(organizationId), { consistent: true }),

  handle({ now }, wallet) {
    if (!wallet) throw new ApiError('internal', { cause: new Error('organization has no wallet') });
    return { body: toBalance(toWallet(wallet), now) };
  },
});

export const handler = serve(operation);
