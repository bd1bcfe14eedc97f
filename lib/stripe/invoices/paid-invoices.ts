import { eventRecordKind } from '../../billing/stored/event-record.ts';
import { stripePrefix } from '../../billing/terms/fields.ts';
import { invalid } from '../../errors/errors.ts';
import { fingerprintOf } from '../../schema/fingerprint.ts';
import type { Table } from '../../table/table.ts';
import { assertOwnAccount, type StripeEvent } from '../event.ts';
import { graceMinutes } from '../grace.ts';
import { readOwner, readPlansOf } from '../known.ts';
import { type Translated, toMessage } from '../messages.ts';
import type { Invoice } from './invoices.ts';
import { walletLinesOf } from './paid-lines.ts';

// docs/decisions/stripe.md
/**
 * The translation of a paid invoice: `subscription.paid`, or nothing if neither its prices nor its subscription are ours.
 * Throws `invalid_request` for an invoice that is ours in part: somebody has paid.
 */
export const translateInvoice = async (
  invoice: Invoice,
  event: StripeEvent,
  table: Table<'GetItem'>,
): Promise<Translated> => {
  const { id, subscription, lines } = invoice;
  const [owner, plans] = await Promise.all([
    readOwner(table, subscription),
    readPlansOf(
      table,
      lines.flatMap(({ price }) => price ?? []),
    ),
  ]);
  const organization_id = owner ?? invoice.organization_id;
  if (!organization_id && plans.size === 0) return { outcome: 'ignored' };
  assertOwnAccount(event);
  if (!organization_id) throw invalid('metadata.organization_id', 'of the subscription is missing');

  const common = {
    type: 'subscription.paid',
    organization_id,
    event_id: `${stripePrefix}${id}`,
  } as const;
  // A repeat is known by what Stripe said. The stars that it gave were fixed the first time.
  const fingerprint = fingerprintOf({ subscription, lines });
  const eventKey = { organizationId: organization_id, eventId: common.event_id };
  const record = await table.get(eventRecordKind.key(eventKey));
  if (record) return { message: { ...common, lines: record.payment?.lines ?? [] }, fingerprint };

  if (invoice.hasMore) throw invalid('lines.has_more', 'must be false: the event leaves lines out');
  if (plans.size === 0) throw invalid('lines', 'have no price that a plan names');
  const given = walletLinesOf(invoice, plans);
  if (given.length === 0) return { outcome: 'ignored' };
  const told = toMessage({
    ...common,
    lines: given,
    ...(subscription && { subscription_id: subscription }),
    grace_minutes: graceMinutes(),
    ...paymentOf(invoice),
  });
  return { ...told, fingerprint };
};

/** The payment by which refunds and disputes find the invoice; the invoice's id until its payment is known. */
const paymentOf = ({ id, payment = id, total = 0 }: Invoice) =>
  total > 0 ? { payment, amount: total } : {};
