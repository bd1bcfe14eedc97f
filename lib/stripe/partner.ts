import * as z from 'zod/mini';
import { walletEvent } from '../billing/rules/wallet-events.ts';
import { paymentKind } from '../billing/stored/payment.ts';
import { toWallet, walletKind } from '../billing/stored/wallet.ts';
import { invalid } from '../errors/errors.ts';
import type { Partner, Untold } from '../operations/kinds/background.ts';
import { uuid } from '../schema/fields.ts';
import { parseInput } from '../schema/issues.ts';
import type { Table } from '../table/table.ts';
import { type Meaning, type StripeEvent, stripeEvent, type WalletMessage } from './event.ts';
import { readEvent, stripeEventTypes } from './read-event.ts';

// docs/decisions/stripe.md
/** Stripe's events, as events of billing. */
export const stripe: Partner<typeof walletEvent> = {
  sourcePrefix: 'aws.partner/stripe.com/',
  types: stripeEventTypes,

  async translate(input, table) {
    const event = parseInput(stripeEvent, input);
    assertMode(event);
    const meaning = readEvent(event);
    if (!meaning) return { outcome: 'ignored' };
    const told = await messageOf(meaning, table);
    return 'outcome' in told ? told : { message: parseInput(walletEvent, told.message) };
  },
};

/** The message of an event, by what the table knows. */
const messageOf = async (
  meaning: Meaning,
  table: Table<'GetItem'>,
): Promise<{ message: WalletMessage } | Untold> => {
  if ('payment' in meaning) {
    const purchase = await table.get(paymentKind.key({ payment: meaning.payment }));
    return purchase
      ? { message: meaning.messageFor(purchase) }
      : waitsFor('a purchase with its payment');
  }
  if ('subscription' in meaning) {
    const { message, subscription } = meaning;
    const isKnown = await hasStarted(table, message.organization_id, subscription);
    if (!isKnown) return waitsFor('the start of its subscription');
  }
  return meaning;
};

const waitsFor = (what: string): Untold => ({ outcome: 'waiting', why: `waits for ${what}` });

/** Whether a wallet knows a subscription, or can't be asked: then the message says why. */
const hasStarted = async (
  table: Table<'GetItem'>,
  organization: string,
  { id }: { id: string },
): Promise<boolean> => {
  const { data: organizationId } = z.safeParse(uuid(), organization);
  const stored = organizationId && (await table.get(walletKind.key({ organizationId })));
  if (!stored) return true;
  const wallet = toWallet(stored);
  return wallet.subscription?.id === id || wallet.former_subscriptions.includes(id);
};

/** Refuses payments that are not real where real ones are wanted, and the other way round. */
const assertMode = ({ livemode }: StripeEvent): void => {
  const wanted = process.env.STRIPE_LIVEMODE;
  if (String(livemode) === wanted) return;
  throw invalid('livemode', wanted ? `must be ${wanted} here` : 'has no setting here');
};
