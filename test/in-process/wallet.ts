import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { handler as listBillingHistory } from '../../functions/list-billing-history.ts';
import { applyEvent } from '../../lib/billing/apply-event.ts';
import { walletEvent } from '../../lib/billing/wallet-events.ts';
import { openTable } from '../../lib/table/client.ts';
import { walletKey } from '../../lib/table/keys.ts';
import { openingWallet } from '../support/billing.ts';
import { Organization, run } from './support.ts';

// Wallets, and events that are applied to them in the test's own process.

export const table = openTable();

export const soon = () => Date.now() + 9500;
export const withStars = (monthly: number, pack: number) =>
  Organization.make(openingWallet(monthly, pack));

export const eventOf = ({ id }: Organization, fields: object) =>
  z.parse(walletEvent, { event_id: randomUUID(), organization_id: id, ...fields });
export const spend = (organization: Organization, stars: number, fields: object = {}) =>
  eventOf(organization, { type: 'stars.spent', stars, ...fields });

export const apply = (event: ReturnType<typeof eventOf>, deadline = soon()) =>
  applyEvent(table, event, deadline);

export const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => ({ code: error.code, details: error.details }),
  );

export const walletOf = async ({ id }: Organization) =>
  table.get(walletKey(id), { consistent: true });

export const historyOf = async (organization: Organization) => {
  const { body } = await run(listBillingHistory, { headers: organization.headers() });
  return body.items.reverse();
};
