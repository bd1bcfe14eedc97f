import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { handler as listBillingHistory } from '../../../functions/billing/list-billing-history.ts';
import { applyEvent } from '../../../lib/billing/apply-event.ts';
import { walletEvent } from '../../../lib/billing/wallet-events.ts';
import { openTable } from '../../../lib/table/client.ts';
import { walletKey } from '../../../lib/table/keys.ts';
import { openingWallet } from '../../support/billing.ts';
import { Organization, run } from '../support.ts';

// Wallets, and events that are applied to them in the test's own process.

export const table = openTable();

/** A deadline that leaves the time that functions have. */
export const soon = () => Date.now() + 9500;

/** An organization with monthly stars in a running period, and pack stars. */
export const withStars = (monthly: number, pack: number) =>
  Organization.make(openingWallet(monthly, pack));

/** An event of the organization, with an id of its own unless told. */
export const eventOf = ({ id }: Organization, fields: object) =>
  z.parse(walletEvent, { event_id: randomUUID(), organization_id: id, ...fields });

/** A spend, as an event. */
export const spend = (organization: Organization, stars: number, fields: object = {}) =>
  eventOf(organization, { type: 'stars.spent', stars, ...fields });

/** Applies an event as the functions do. */
export const apply = (event: ReturnType<typeof eventOf>) =>
  applyEvent(table.during({ deadline: soon() }), event);

/** What the client would be told of the error. */
export const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => ({ code: error.code, details: error.details }),
  );

/** The wallet as it is stored. */
export const walletOf = async ({ id }: Organization) => table.get(walletKey(id));

/** The ledger, oldest first. */
export const historyOf = async (organization: Organization) => {
  const { body } = await run(listBillingHistory, { headers: organization.headers() });
  return body.items.reverse();
};
