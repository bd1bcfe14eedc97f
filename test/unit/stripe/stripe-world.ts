import { randomUUID } from 'node:crypto';
import { operation } from '../../../functions/billing/apply-wallet-events.ts';
import { putPlan } from '../../../lib/billing/plans.ts';
import { readBalance } from '../../../lib/billing/read-balance.ts';
import { walletEvent } from '../../../lib/billing/rules/wallet-events.ts';
import type { Plan } from '../../../lib/billing/stored/plan.ts';
import { emptyWallet, type Wallet } from '../../../lib/billing/stored/wallet.ts';
import { ApiError } from '../../../lib/errors/errors.ts';
import { parseInput } from '../../../lib/schema/issues.ts';
import { stripe } from '../../../lib/stripe/partner.ts';
import { outbox } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/table.ts';
import { walletItem } from '../../support/billing-items.ts';
import { SimulatedStore } from '../../support/simulated-store.ts';
import type { stripeEvent } from '../../support/stripe-events.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';

export type StripeEvent = ReturnType<typeof stripeEvent>;

/** What became of an event: that it was applied, why it is no message, or the field that is wrong. */
export type Outcome = string;

/** A wallet to which events of Stripe come, by the service's own code and a table in memory. Its clock is that of vitest. */
export class StripeWorld {
  readonly organizationId: string;
  /** The wallet's ledger entries, as they are stored. */
  readonly entries: Item[] = [];
  readonly #store = new SimulatedStore({ sleep: async () => {} } as unknown as VirtualClock);
  readonly #table = this.#store.open();

  constructor({
    organizationId = randomUUID(),
    ...before
  }: Partial<Wallet> & { organizationId?: string } = {}) {
    this.organizationId = organizationId;
    this.#store.onWrite = (items) =>
      this.entries.push(...items.filter(({ pk }) => String(pk).startsWith(outbox.wallets)));
    this.#store.put(walletItem(this.organizationId, { ...emptyWallet, ...before }));
  }

  async putPlan(tier: string, given: Partial<Plan>): Promise<void> {
    const plan = { name: tier, price_cents: 2000, currency: 'EUR', trial_stars: 0 };
    const stars = { monthly_grant_stars: 0, stripe_prices: [] };
    await putPlan(this.#table, { tier, ...plan, ...stars, ...given });
  }

  /** Tells an event, as the queue brings it. */
  async tell(event: StripeEvent): Promise<Outcome> {
    try {
      const told = await stripe.translate(JSON.parse(JSON.stringify(event)), this.#table);
      if ('outcome' in told) return told.outcome;
      const queued = { content: told.message, busEventId: 'bus', fingerprint: told.fingerprint };
      const [error] = await operation.handle([queued], this.#table);
      if (error) throw error;
      return 'applied';
    } catch (error) {
      if (!(error instanceof ApiError) || !error.details) throw error;
      return error.details.map(({ path, message }) => `${path} ${message}`).join('; ');
    }
  }

  /** An event of the company's own backend. */
  async send(fields: object): Promise<void> {
    const content = parseInput(walletEvent, {
      event_id: randomUUID(),
      organization_id: this.organizationId,
      ...fields,
    });
    const [error] = await operation.handle([{ content, busEventId: 'bus' }], this.#table);
    if (error) throw error;
  }

  balance() {
    return readBalance(this.#table, this.organizationId, Date.now());
  }

  /** Tells events until none comes again; fails if some always does. */
  async tellAll(events: readonly StripeEvent[]): Promise<void> {
    let left = events;
    for (let tries = 0; left.length > 0; tries++) {
      if (tries === 8) throw new Error(`${left.map(({ type }) => type)} always come again`);
      const again: StripeEvent[] = [];
      for (const event of left) {
        const outcome = await this.tell(event);
        if (!['applied', 'ignored', 'kept'].includes(outcome)) again.push(event);
      }
      left = again;
    }
  }
}
