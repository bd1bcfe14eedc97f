import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { operation as applyWalletEvents } from '../../functions/billing/apply-wallet-events.ts';
import { spendUpdate } from '../../lib/billing/spends/spend.ts';
import {
  putWaitingRequest,
  waitingRequestOf,
} from '../../lib/billing/writer/waiting/waiting-request.ts';
import type { Item } from '../../lib/table/table.ts';
import { commitIn, someOrigin } from '../support/origin.ts';
import { chance, pick } from '../support/random.ts';
import { walletEvents } from '../support/wallet-events.ts';
import { auditBilling, auditTold, type Told } from './billing-audit.ts';
import { type Action, assertOneAnswerEach, type Organization } from './organization.ts';

const iso = (time: number): string => new Date(time).toISOString();
/** What passes at once now and then, in milliseconds. */
const leaps = [500, 1000, 3000, 6000];
const monthMs = 5000;
/** Milliseconds after which no waiting request is carried out, whatever clock its sender had. */
const longestLifeMs = 20_000;
/** How often three changes come at once: so often, some meet. */
const meetings = 5;
/** The spend of a sender that died. */
const leftId = 'left';

const toLimitPath = (text: string) => {
  const [kind = '', name = ''] = text.split('/');
  return { kind, name };
};

/** Billing and its customers, who do this and that with the same wallet. */
export class Billing {
  readonly organization: Organization;
  /** By what was asked of which event or hold. */
  readonly #told = new Map<string, Told>();
  readonly #spends: string[] = [];
  readonly #purchases: string[] = [];
  readonly #payments: string[] = [];
  readonly #holds: string[] = [];
  #ids = 0;

  constructor(organization: Organization) {
    this.organization = organization;
  }

  async begin(): Promise<void> {
    const subscription = {
      tier: 'basic',
      status: 'active',
      current_period_end: iso(Date.now() + monthMs),
      monthly_grant_stars: 40,
      monthly_stars: 40,
    };
    await this.organization.provision({
      wallet: { pack_stars: 50, ...(chance(this.#next, 0.5) && { subscription }) },
    });
    if (chance(this.#next, 0.5)) await this.#putLimit('feature/call', 'total', 60);
  }

  /** What they do, those that they do often more than once. */
  get actions(): Action[] {
    const seldom = [
      this.#release,
      this.#extend,
      this.#alert,
      this.#limit,
      this.#look,
      this.#letTimePass,
    ];
    const often = [this.#spend, this.#capture, this.#hold, this.#event];
    return [...seldom, ...often, ...often, this.#hold, this.#event, this.#event];
  }

  /**
   * A sender dies with its request left, and its time and that of all others goes by. Then changes meet: whoever loses a race
   * removes what was left, so that nothing may wait after it.
   */
  async end(): Promise<void> {
    const { id, store, world } = this.organization;
    const table = store.table(Number.POSITIVE_INFINITY);
    const content = spendUpdate(id, { event_id: leftId, stars: 1 });
    const update = { ...content, origin: someOrigin, spender: undefined };
    const left = waitingRequestOf([update], Date.now());
    await commitIn(table)([putWaitingRequest(id, left)]);
    world.leap(longestLifeMs);
    for (let i = 0; i < meetings; i++) {
      await Promise.all(Array.from({ length: 3 }, (_, n) => this.#buy(`last-${i}-${n}`)));
    }
  }

  #buy(event_id: string): Promise<unknown> {
    return this.#send({ type: 'pack.purchased', event_id, stars: 1 });
  }

  /** Throws unless what is there fits together, and is what callers were told. */
  audit(items: readonly Item[]): void {
    assertOneAnswerEach(this.organization.answers);
    const byId = auditBilling(this.organization.id, items);
    assert(!byId.has(leftId), 'what was over is not carried out');
    auditTold(this.#told, byId);
  }

  get #next() {
    return this.organization.next;
  }

  get #organizationId() {
    return { organization_id: this.organization.id };
  }

  #spend(): Promise<unknown> {
    const event_id = this.#id();
    this.#spends.push(event_id);
    const path = { event_id };
    return this.#request('putSpend', event_id, path, { ...this.#content(), ...this.#notAfter() });
  }

  async #hold(): Promise<void> {
    const hold_id = this.#id();
    const expires_in_seconds = pick(this.#next, [1, 2, 5, 30]);
    this.#holds.push(hold_id);
    const body = { ...this.#content(), expires_in_seconds, ...this.#notAfter() };
    await this.#request('putHold', hold_id, { hold_id }, body);
  }

  async #capture(): Promise<void> {
    const hold_id = pick(this.#next, this.#holds);
    if (!hold_id) return;
    this.#spends.push(hold_id);
    const stars = chance(this.#next, 0.5) ? undefined : this.#stars();
    const up_to_available = chance(this.#next, 0.5);
    await this.#request('captureHold', hold_id, { hold_id }, { stars, up_to_available });
  }

  async #release(): Promise<void> {
    const hold_id = pick(this.#next, this.#holds);
    if (hold_id) await this.#request('releaseHold', hold_id, { hold_id });
  }

  /** Told by itself: it is never the same twice. */
  async #extend(): Promise<void> {
    const path = { hold_id: pick(this.#next, this.#holds) ?? 'none' };
    const body = { expires_in_seconds: pick(this.#next, [1, 3, 10]) };
    await this.organization.ask('updateHold', { path, body });
  }

  /** What a spend or hold says. */
  #content() {
    const feature = chance(this.#next, 0.5) ? pick(this.#next, ['call', 'search']) : undefined;
    const spender = chance(this.#next, 0.5) ? pick(this.#next, ['ann', 'bob']) : undefined;
    return { stars: this.#stars(), ...(feature && { feature }), ...(spender && { spender }) };
  }

  /** Tries that are decided a moment later are too late. */
  #notAfter() {
    return chance(this.#next, 0.3) && { not_after: iso(Date.now() + pick(this.#next, [0, 1000])) };
  }

  async #event(): Promise<void> {
    const event_id = this.#id();
    await this.#send({ event_id, ...this.#newEvent(event_id) });
  }

  async #send(event: { type: string; event_id: string; [field: string]: unknown }): Promise<void> {
    const { event_id } = event;
    const message = z.parse(applyWalletEvents.message, { ...this.#organizationId, ...event });
    await this.#ask(event.type, event_id, message, async (table) => {
      const [error] = await applyWalletEvents.handle(
        [{ content: message, busEventId: event_id }],
        table,
      );
      if (error) throw error;
      return { status: 200 };
    });
  }

  #newEvent(id: string): { type: string } {
    const events = walletEvents(this.#next, this.#stars, {
      monthMs: () => Math.ceil(monthMs * this.#next()),
      packEnd: () => iso(Date.now() + 8000 * this.#next()),
      // One of few, so that refunds meet; and none of itself.
      refunds: () => pick(this.#next, this.#spends.filter((one) => one !== id).slice(-2)) ?? 'none',
      purchase: () =>
        pick(this.#next, this.#purchases.filter((one) => one !== id).slice(-2)) ?? 'none',
      paid: () => pick(this.#next, this.#payments.filter((one) => one !== id).slice(-2)) ?? 'none',
    });
    const event = pick(this.#next, Object.values(events))();
    if (event.type === 'pack.purchased') this.#purchases.push(id);
    if (event.type === 'subscription.paid') this.#payments.push(id);
    return event;
  }

  async #alert(): Promise<void> {
    const thresholds = pick(this.#next, [[], [10, 50], [5, 20, 40]]);
    await this.organization.ask('putAlerts', { body: { thresholds } });
  }

  /** Limits come, change and go. That of feature `call` stays as it is. */
  async #limit(): Promise<void> {
    const name = pick(this.#next, ['default/spender', 'spender/ann', 'feature/search']);
    if (chance(this.#next, 0.3)) {
      await this.organization.ask('deleteSpendLimit', { path: toLimitPath(name) });
      return;
    }
    const period = pick(this.#next, ['day', 'week', 'month', 'total']);
    await this.#putLimit(name, period, pick(this.#next, [0, 20, 60, 1000]));
  }

  async #putLimit(name: string, period: string, stars: number): Promise<void> {
    const enabled = name === 'feature/call' || chance(this.#next, 0.8);
    const body = { stars, period, enabled };
    await this.organization.ask('putSpendLimit', { path: toLimitPath(name), body });
  }

  async #look(): Promise<void> {
    const { body } = await this.organization.ask('getBalance', {});
    if (!body) return;
    const { available_stars, total_stars, held_stars, monthly_stars, pack_stars, owed_stars } =
      body;
    const isPaid = owed_stars === 0 || available_stars === 0;
    const adds = isPaid && available_stars === total_stars - held_stars;
    if (!adds || available_stars < 0 || total_stars !== monthly_stars + pack_stars) {
      throw new Error(`the balance does not add up: ${JSON.stringify(body)}`);
    }
  }

  async #letTimePass(): Promise<void> {
    this.organization.world.leap(pick(this.#next, leaps));
  }

  /** Mostly a new one; some are sent again, with the same content or with other. */
  #id(): string {
    const isNew = chance(this.#next, 0.85);
    return `event-${isNew ? this.#ids++ : Math.floor(this.#next() * this.#ids)}`;
  }

  #stars = (): number => Math.ceil(25 * this.#next());

  #request(
    operation: string,
    id: string,
    path: Record<string, string>,
    body?: object,
  ): Promise<unknown> {
    const { not_after: _, ...content } = (body ?? {}) as { not_after?: string };
    return this.#ask(operation, id, content, (table) =>
      this.organization.reply(operation, { path, ...(body && { body }) }, table),
    );
  }

  /** Asks, sometimes twice at once. */
  async #ask(
    name: string,
    id: string,
    asked: unknown,
    work: Parameters<Organization['insist']>[0],
  ) {
    const times = chance(this.#next, 0.2) ? [1, 2] : [1];
    const answers = await Promise.all(times.map(() => this.organization.insist(work)));
    const what = `${name} ${id} ${JSON.stringify(asked)}`;
    const before = this.#told.get(what)?.answers ?? [];
    this.#told.set(what, { name, id, answers: [...before, ...answers] });
  }
}
