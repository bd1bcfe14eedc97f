// A wallet as docs/stars.md tells it, in the plainest way. It follows that page, imports nothing of lib, and must never be bent to
// the code: where both differ, the page says who is right, or is mended.
import {
  type ModelBalance,
  type ModelEnd,
  planStars,
  type Step,
  type StepType,
  type WalletModel,
} from '../../../support/wallet-model.ts';
import { type Fraction, fraction } from './page-months.ts';
import { Reversible } from './page-reversals.ts';
import { Stars } from './page-stars.ts';
import { Subscription } from './page-subscription.ts';

type Answer = ReturnType<WalletModel['do']>;
const done: Answer = { refused: false };
const refused: Answer = { refused: true };
const ninetyDays = 90 * 86_400_000;

interface Purchase extends Reversible {
  gave: number;
  expiry: number;
}

const isOfHold = (step: Step): step is Step<'extend' | 'capture' | 'release'> =>
  step.type === 'extend' || step.type === 'capture' || step.type === 'release';

export class PageWallet implements WalletModel {
  private now: number;
  private readonly stars = new Stars();
  private readonly subscription = new Subscription(this.stars);
  private readonly purchases = new Map<string, Purchase>();
  private readonly applied = new Map<string, string>();
  private readonly ends = new Map<string, { type: StepType; stars: number; end: ModelEnd }>();

  constructor(start: number) {
    this.now = start;
  }

  passTime(to: number) {
    for (let at = this.nextChange(); at <= to; at = this.nextChange()) {
      this.now = Math.max(this.now, at);
      this.letTimeAct();
    }
    this.now = to;
  }

  private nextChange() {
    const { stars, subscription } = this;
    return Math.min(
      ...stars.lots().map(({ expiry }) => expiry),
      ...stars.openHolds().map(({ expiresAt }) => expiresAt),
      subscription.lapseAt ?? Number.POSITIVE_INFINITY,
      subscription.nextAfter(this.now)?.start ?? Number.POSITIVE_INFINITY,
    );
  }

  /** Does what the clock does until now: packs, then months, then holds. */
  private letTimeAct() {
    const { stars, subscription, now } = this;
    for (const { expiry } of stars.lots()) {
      if (expiry <= now) {
        stars.packs.delete(expiry);
      }
    }
    const next = subscription.nextAfter(now - 1);
    if (next?.start === now && subscription.begun.at(-1)?.start !== now) {
      subscription.begin(next, now);
      stars.pay();
    } else if (subscription.lapseAt !== undefined && subscription.lapseAt <= now) {
      subscription.lapse();
    }
    for (const hold of stars.openHolds()) {
      if (hold.expiresAt <= now) {
        stars.end(hold, 'expired', 0, now);
      }
    }
  }

  do(step: Step): Answer {
    if (isOfHold(step)) {
      return this.doToHold(step);
    }
    const content = JSON.stringify(step);
    const earlier = this.applied.get(step.id);
    if (earlier !== undefined) {
      return { refused: earlier !== content };
    }
    const answer = this.apply(step);
    if (!answer.refused) {
      this.applied.set(step.id, content);
      this.letTimeAct();
    }
    return answer;
  }

  private doToHold(step: Step<'extend' | 'capture' | 'release'>): Answer {
    const hold = this.stars.holds.get(step.id);
    if (!hold) {
      return refused;
    }
    if (step.type === 'extend') {
      hold.expiresAt = hold.ended
        ? hold.expiresAt
        : Math.max(hold.expiresAt, this.now + step.expires_in);
      return { refused: hold.ended !== undefined };
    }
    const asked = step.type === 'capture' ? (step.stars ?? hold.stars) : 0;
    const earlier = this.ends.get(step.id);
    if (hold.ended) {
      const same = earlier?.type === step.type && earlier.stars === asked;
      return same ? { refused: false, end: earlier.end } : refused;
    }
    const missing = Math.max(0, asked - hold.stars - this.stars.free);
    if (missing > 0 && !(step.type === 'capture' && step.up_to_available)) {
      return refused;
    }
    const captured = asked - missing;
    const end = { captured, missing, returned: Math.max(0, hold.stars - captured) };
    this.stars.end(hold, step.type === 'capture' ? 'captured' : 'released', captured, this.now);
    this.ends.set(step.id, { type: step.type, stars: asked, end });
    return { refused: false, end };
  }

  private apply(step: Exclude<Step, Step<'extend' | 'capture' | 'release'>>): Answer {
    const { stars, now } = this;
    switch (step.type) {
      case 'subscription.paid':
        return this.pay(step);
      case 'subscription.changed':
      case 'subscription.canceled':
        return this.tellStatus(step);
      case 'subscription.reversed': {
        const event = this.subscription.events.get(step.paid);
        const share = event && shareOf(step, event);
        if (!share) {
          return refused;
        }
        this.subscription.reverse(event, step.paid, now, () => tellSource(event, step, share));
        return done;
      }
      case 'pack.purchased': {
        const expiry = step.expires_at ?? Number.POSITIVE_INFINITY;
        const gave = expiry > now ? step.stars : 0;
        this.purchases.set(step.id, Object.assign(new Reversible(step.amount), { gave, expiry }));
        stars.addToPack(expiry, gave);
        stars.pay();
        return done;
      }
      case 'pack.reversed':
        return this.reversePack(step);
      case 'stars.spent':
      case 'hold': {
        if (stars.owed > 0 || step.stars > stars.free) {
          return refused;
        }
        if (step.type === 'hold') {
          stars.hold(step.id, step.stars, now + step.expires_in);
        } else {
          stars.spends.set(step.id, { parts: stars.take(step.stars), refunded: 0 });
        }
        return done;
      }
      case 'stars.refunded': {
        const spend = stars.spends.get(step.refunds);
        const spent = spend?.parts.reduce((sum, part) => sum + part.stars, 0) ?? 0;
        if (!spend || step.stars > spent - spend.refunded) {
          return refused;
        }
        stars.refund(spend, step.stars, now);
        return done;
      }
      case 'stars.adjusted':
        return this.adjust(step);
    }
  }

  private pay(step: Step<'subscription.paid'>): Answer {
    const { subscription, now } = this;
    const isNew =
      subscription.id !== undefined &&
      step.subscription_id !== undefined &&
      step.subscription_id !== subscription.id;
    if (isNew && subscription.isPaidAfter(now)) {
      return refused;
    }
    const undo = isNew ? subscription.replaceBy(step.subscription_id, now) : undefined;
    const lines = this.linesOf(step);
    if (!lines) {
      undo?.();
      return refused;
    }
    subscription.id ??= step.subscription_id;
    subscription.grace =
      step.grace_minutes === undefined ? subscription.grace : step.grace_minutes * 60_000;
    subscription.add(step.id, step.amount, lines, now);
    return done;
  }

  private linesOf(step: Step<'subscription.paid'>) {
    if ('lines' in step) {
      return step.lines;
    }
    const { subscription, now } = this;
    const told = subscription.periodUntil(step.period_end, now);
    const from = told?.from ?? step.period_start ?? subscription.defaultStart(now);
    if (step.tier !== 'pro' || from >= step.period_end) {
      return undefined;
    }
    const line = {
      from,
      until: step.period_end,
      monthly_grant_stars: planStars * (step.quantity ?? 1),
      tier: step.tier,
    };
    return told
      ? [...told.credits, {}].map((credit) => ({ ...line, proration: true, ...credit }))
      : [line];
  }

  private tellStatus(step: Step<'subscription.changed' | 'subscription.canceled'>): Answer {
    const { subscription } = this;
    const id = step.subscription_id ?? subscription.id;
    if (
      subscription.events.size === 0 ||
      (subscription.id !== undefined && id !== subscription.id && !subscription.formerIds.has(id))
    ) {
      return refused;
    }
    subscription.id ??= id;
    if (id === subscription.id) {
      subscription.tellStatus(
        step.type === 'subscription.canceled' ? 'canceled' : step.status,
        step.occurred_at,
      );
    }
    return done;
  }

  private reversePack(step: Step<'pack.reversed'>): Answer {
    const { stars, now } = this;
    const purchase = this.purchases.get(step.purchase);
    const share = purchase && shareOf(step, purchase);
    if (!share) {
      return refused;
    }
    const starsOf = (share: Fraction) => Number((BigInt(purchase.gave) * share.over) / share.under);
    const before = starsOf(purchase.share());
    tellSource(purchase, step, share);
    const isThere = (place: object) => 'expiry' in place && place.expiry === purchase.expiry;
    const find = () => {
      const more = Math.max(0, starsOf(purchase.share()) - before);
      const free = Math.min(more, stars.packs.get(purchase.expiry) ?? 0);
      return free + stars.markHeld(more - free, step.purchase, isThere);
    };
    const change = purchase.settle(starsOf, before, find, (given) =>
      stars.forgetHeld(given, step.purchase),
    );
    if (change > 0) {
      stars.owed += change - stars.takeFromPack(purchase.expiry, change);
    } else {
      const back = -change;
      const paid = Math.min(back, stars.owed);
      stars.owed -= paid;
      stars.addToPack(purchase.expiry > now ? purchase.expiry : now + ninetyDays, back - paid);
    }
    stars.pay();
    return done;
  }

  private adjust(step: Step<'stars.adjusted'>): Answer {
    const { stars } = this;
    const { monthly_change: monthly = 0, pack_change: pack = 0, owed_change: owed = 0 } = step;
    const packs = stars.free - stars.monthly;
    if (
      (monthly > 0 && !stars.monthRuns) ||
      stars.monthly + monthly < 0 ||
      packs + pack < 0 ||
      stars.owed + owed < 0
    ) {
      return refused;
    }
    stars.monthly += monthly;
    stars.owed += owed;
    if (pack > 0) {
      stars.addToPack(Number.POSITIVE_INFINITY, pack);
    } else {
      stars.takePacks(-pack);
    }
    stars.pay();
    return done;
  }

  balance(): ModelBalance {
    const { stars, subscription, now } = this;
    const { month, lapseAt } = subscription;
    const next = subscription.nextAfter(now);
    const lacks = month && next ? Math.max(0, subscription.lacking(month, next.start)) : 0;
    const expiry = stars.lots()[0];
    return {
      monthly_stars: stars.monthly + stars.held(true),
      pack_stars: stars.free - stars.monthly + stars.held(false),
      held_stars: stars.held(true) + stars.held(false),
      available_stars: stars.free,
      owed_stars: stars.owed,
      next_expiry:
        expiry && expiry.expiry < Number.POSITIVE_INFINITY
          ? { at: expiry.expiry, stars: expiry.stars }
          : null,
      monthly_grant_stars: month?.granted ?? 0,
      monthly_lapse_at: lapseAt === undefined ? null : Math.min(lapseAt, next?.start ?? lapseAt),
      next_grant: next ? { at: next.start, stars: subscription.grantOf(next) + lacks } : null,
      subscription: subscription.balance(now),
    };
  }
}

const shareOf = (
  step: { amount?: number; stars?: number },
  of: Reversible & { gave?: number },
): Fraction | undefined => {
  if (step.amount === 0) {
    return fraction(0);
  }
  if (step.amount !== undefined) {
    return of.amount === undefined
      ? undefined
      : of.amount > 0
        ? fraction(step.amount, of.amount)
        : fraction(step.amount > 0 ? 1 : 0);
  }
  return step.stars === undefined ? fraction(1) : fraction(step.stars, of.gave || 1);
};

const tellSource = (
  of: Reversible,
  step: { id: string; source?: string; occurred_at?: number; claw_back?: boolean },
  share: Fraction,
) =>
  of.tell(step.source ?? step.id, {
    at: step.occurred_at ?? Number.NEGATIVE_INFINITY,
    share,
    clawBack: step.claw_back === true,
  });
