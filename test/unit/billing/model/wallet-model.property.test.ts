import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { stepOf } from '../../../../lib/billing/rules/step.ts';
import type { EventRecord } from '../../../../lib/billing/stored/event-record.ts';
import { seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';
import { event, iso, now as start } from '../rules/wallets.ts';
import { World } from '../world.ts';
import { type Answer, type Step, WalletModel } from './wallet-model.ts';

// The rules, and a model written from docs/stars.md alone, side by side.

const plan = { tier: 'pro', name: 'Pro', price_cents: 1, currency: 'USD', monthly_grant_stars: 50 };

type Cause = Parameters<typeof stepOf>[1];

/** The rules with what they need of a store: records of events, and which holds are open. */
class Rules {
  readonly #world = new World();
  readonly #records = new Map<string, EventRecord>();

  async balance(at: number) {
    const balance = await this.#world.balance(at);
    const { monthly_stars, pack_stars, held_stars, available_stars, owed_stars } = balance;
    const { next_expiry: next } = balance;
    const next_expiry = next && { ...next, at: Date.parse(next.at) };
    assert.equal(available_stars, balance.total_stars - held_stars);
    return { monthly_stars, pack_stars, held_stars, available_stars, owed_stars, next_expiry };
  }

  do(at: number, step: Step): Answer {
    this.#world.settle(at);
    const { id } = step;
    const cause = causeOf(step);
    const names = 'refunds' in cause ? cause.refunds : 'purchase' in cause ? cause.purchase : '';
    const isOfHold = ['extend', 'capture', 'release'].includes(step.type);
    if (isOfHold && !this.#world.open.has(id)) return { refused: 'not open' };
    const { wallet, open } = this.#world;
    // SWITCH. A step would let it expire earlier: "never earlier than before" is left to who calls it.
    if (step.type === 'extend' && at + step.expires_in <= open.get(id)!.expires_at) return {};
    const [record, target] = [this.#records.get(id), this.#records.get(names)];
    const result = stepOf({ wallet, record, plan, target }, cause, at);
    if (typeof result === 'string') return { refused: result };
    this.#world.add(result, at);
    this.#records.set(id, result.record);
    if (result.target) this.#records.set(names, result.target);
    const { hold, hold_end: end, extended_to } = result.record;
    if (!hold) return {};
    const { lots } = hold;
    const expires_at = extended_to ?? hold.expires_at;
    this.#world.open.delete(id);
    if (!end) this.#world.open.set(id, { hold_id: id, at, lots, expires_at });
    if (step.type !== 'capture' && step.type !== 'release') return {};
    const captured = -result.entry.stars + 0;
    const asked = step.type === 'capture' ? (step.stars ?? sum(lots)) : 0;
    return {
      ended: {
        captured,
        missing: asked - captured,
        returned: Math.max(0, sum(lots) - captured),
      },
    };
  }
}

const sum = (lots: readonly { stars: number }[]) => lots.reduce((all, one) => all + one.stars, 0);

const timeFields = ['current_period_end', 'occurred_at', 'expires_at'];

const causeOf = ({ id: event_id, ...step }: Step): Cause => {
  switch (step.type) {
    case 'hold':
      return {
        type: 'stars.held',
        event_id,
        stars: step.stars,
        expires_in_seconds: step.expires_in / 1000,
      };
    case 'extend':
      return { type: 'hold.extended', event_id, expires_in_seconds: step.expires_in / 1000 };
    case 'capture':
      return { ...step, type: 'hold.captured', event_id, stars: step.stars };
    case 'release':
      return { type: 'hold.released', event_id };
    default: {
      const fields = Object.entries(step).map(([name, value]) => [
        name,
        timeFields.includes(name) && value !== undefined ? iso(value as number) : value,
      ]);
      const reason = step.type === 'stars.adjusted' && { reason: 'by hand' };
      return event({ ...Object.fromEntries(fields), ...reason, event_id });
    }
  }
};

/** A step but for its ids: `one` says which of the purchases, spends or holds so far it names. */
type Draft = { later: number; one: number; fields: Record<string, unknown> & { type: string } };

/** Whether all events of subscriptions have their id and time, as they should; else none has. The page tells no more. */
type Drafts = [isDated: boolean, drafts: Draft[]];

const named = {
  'pack.reversed': 'purchase',
  'stars.refunded': 'refunds',
} as Record<string, string>;

/** Gives each step its ids, among those of the steps before it. */
const stepsOf = ([isDated, drafts]: Drafts): { at: number; step: Step }[] => {
  const ids: Record<string, string[]> = {};
  const of = (type: string, one: number) => {
    const all = ids[type] ?? [];
    return all[all.length - 1 - (one % all.length)] ?? 'none';
  };
  let at = start;
  // SWITCH. A subscription starts once: what another start of it does after its later events, the page leaves open.
  const started = new Set<unknown>();
  const all = drafts.filter(({ fields: { type, subscription_id: id } }) => {
    if (!isDated || type !== 'subscription.started') return true;
    return !started.has(id) && started.add(id);
  });
  return all.map(({ later, one, fields }, i) => {
    at += later;
    const { type } = fields;
    const isOfHold = ['extend', 'capture', 'release'].includes(type);
    const id = isOfHold ? of('hold', one) : `${type}-${i}`;
    const name = named[type];
    const names = name && { [name]: of(name, one) };
    const add = (list: string) => {
      ids[list] = [...(ids[list] ?? []), id];
    };
    if (type === 'pack.purchased') add('purchase');
    if (type === 'stars.spent' || type === 'hold') add('refunds');
    if (type === 'hold') add('hold');
    const isPlain = !isDated && type.startsWith('subscription.');
    const set = Object.entries(fields).filter(
      ([name, value]) => value !== undefined && !(isPlain && Object.hasOwn(ofSubscription, name)),
    );
    return { at, step: { ...Object.fromEntries(set), ...names, id } as Step };
  });
};

const few = fc.integer({ min: 1, max: 60 });
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 2 });
/** On a grid, so that some are the same. */
const moment = (min: number, max: number) =>
  fc.integer({ min, max }).map((tens) => start + 10 * tens);
const ofSubscription = {
  subscription_id: fc.constantFrom('a', 'b', 'c'),
  occurred_at: moment(-3, 8),
};
const current_period_end = moment(-1, 14);
const monthly_grant_stars = maybe(fc.integer({ min: 0, max: 100 }));
const lasts = fc.integer({ min: 1, max: 40 });
const forgives = maybe(fc.integer({ min: -40, max: 0 }));
const nonZero = fc.integer({ min: -30, max: 30 }).filter((n) => n !== 0);
const change = maybe(fc.integer({ min: -30, max: 30 }));

const of = (type: string, fields: Record<string, fc.Arbitrary<unknown>>, weight = 1) => ({
  weight,
  arbitrary: fc.record({ type: fc.constant(type), ...fields }) as fc.Arbitrary<Draft['fields']>,
});

const reversal = {
  source: maybe(fc.constantFrom('x', 'y', 'z')),
  stars: maybe(fc.integer({ min: 0, max: 120 })),
  claw_back: fc.boolean(),
  occurred_at: maybe(moment(-3, 8)),
};

const draft: fc.Arbitrary<Draft> = fc.record({
  later: fc.nat(5),
  one: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(9) }),
  fields: fc.oneof(
    of(
      'subscription.started',
      { tier: fc.constant('pro'), current_period_end, monthly_grant_stars, ...ofSubscription },
      2,
    ),
    of('subscription.renewed', { current_period_end, monthly_grant_stars, ...ofSubscription }, 2),
    of('subscription.changed', {
      tier: fc.constant('pro'),
      monthly_grant_stars,
      ...ofSubscription,
    }),
    of('subscription.changed', { status: fc.constantFrom('active', 'paused'), ...ofSubscription }),
    of('subscription.canceled', ofSubscription),
    of(
      'pack.purchased',
      { stars: fc.integer({ min: 1, max: 120 }), expires_at: maybe(moment(-1, 14)) },
      4,
    ),
    of('pack.reversed', reversal, 5),
    of('stars.spent', { stars: few }, 4),
    of('stars.refunded', { stars: few }, 3),
    of(
      'stars.adjusted',
      { pack_change: nonZero, monthly_change: change, owed_change: forgives },
      2,
    ),
    of('stars.adjusted', { monthly_change: nonZero, owed_change: forgives }),
    of('stars.adjusted', { owed_change: fc.integer({ min: -40, max: -1 }) }),
    of('hold', { stars: few, expires_in: lasts }, 5),
    of('extend', { expires_in: lasts }),
    of('capture', { stars: maybe(fc.nat(80)), up_to_available: fc.boolean() }, 4),
    of('release', {}, 1),
  ),
});

const purchased: fc.Arbitrary<Draft> = fc.record({
  later: fc.constant(0),
  one: fc.constant(0),
  fields: fc.record({
    type: fc.constant('pack.purchased'),
    stars: fc.integer({ min: 1, max: 120 }),
    expires_at: maybe(moment(3, 8)),
  }),
});
const several = { minLength: 2, maxLength: 4 };
const eventOfSource = fc.record({
  source: fc.constantFrom('x', 'y', 'z'),
  stars: maybe(fc.integer({ min: 0, max: 120 })),
  claw_back: fc.boolean(),
  occurred_at: moment(0, 2),
});
type OfSource = typeof eventOfSource extends fc.Arbitrary<infer T> ? T : never;

const firstOf = (first: Draft, drafts: Draft[]) => stepsOf([false, [first, ...drafts]]);

/** At the end of what comes before. */
const momentOfAll = start + 45;

const reversals = (events: readonly OfSource[], from: number) =>
  events.map(({ stars, ...event }, i) => {
    const purchase = 'pack.purchased-0';
    const step = { ...event, ...(stars !== undefined && { stars }), purchase };
    const id = `in-any-order-${from + i}`;
    return { at: momentOfAll, step: { type: 'pack.reversed' as const, ...step, id } };
  });

const ordersOf = <T>(all: readonly T[]): T[][] =>
  all.length === 0
    ? [[]]
    : all.flatMap((one, i) => ordersOf(all.toSpliced(i, 1)).map((rest) => [one, ...rest]));

/** Each order of the events, and each with all of them repeated in another one: all end as the model. */
const inAnyOrder = async ([first, drafts, events]: [Draft, Draft[], OfSource[]]) => {
  const before = firstOf(first, drafts);
  const orders = ordersOf(events);
  const repeated = orders.map((order, i) => [...order, ...orders.at(-1 - i)!]);
  const model = new WalletModel(plan.monthly_grant_stars);
  const inOrder = events.toSorted((a, b) => a.occurred_at - b.occurred_at);
  for (const { at, step } of [...before, ...reversals(inOrder, 0)]) model.do(at, step);
  for (const order of [...orders, ...repeated]) {
    const rules = new Rules();
    const again = new WalletModel(plan.monthly_grant_stars);
    const all = [...before, ...reversals(order, 0)];
    for (const { at, step } of all) {
      rules.do(at, step);
      again.do(at, step);
    }
    count('orders');
    for (const _ of all) count('steps in any order');
    const told = order.map((one) => JSON.stringify(one)).join();
    expect(again.balance(), `model, ${told}`).toEqual(model.balance());
    expect(await rules.balance(momentOfAll), `rules, ${told}`).toEqual(model.balance());
  }
};

const counted = { steps: 0, done: 0 } as Record<string, number>;

const count = (what: string) => {
  counted[what] = (counted[what] ?? 0) + 1;
};

/** Does all steps to both, and compares after each. */
const compare = async (steps: readonly { at: number; step: Step }[]) => {
  const [rules, model] = [new Rules(), new WalletModel(plan.monthly_grant_stars)];
  let passed = start;
  for (const { at, step } of steps) {
    // What the clock alone does is compared, too.
    for (const moment of new Set([Math.floor((passed + at) / 2), at])) {
      model.passTime(moment);
      expect(await rules.balance(moment)).toEqual(model.balance());
      passed = moment;
    }
    const [theirs, ours] = [rules.do(at, step), model.do(at, step)];
    const both = `${theirs.refused ?? 'done'} / ${ours.refused ?? 'done'}`;
    expect(theirs.refused === undefined, both).toBe(ours.refused === undefined);
    expect(theirs.ended).toEqual(ours.ended);
    expect(await rules.balance(at)).toEqual(model.balance());
    count('steps');
    if (!theirs.refused) count('done');
    count(`${step.type} ${theirs.refused ? 'refused' : 'done'}`);
  }
};

/** Tells the fewest steps that differ, one a line, with times from the start. */
const holds = async <T>(
  numRuns: number,
  property: fc.IAsyncProperty<[T]>,
  stepsOf: (found: T) => { at: number; step: Step }[],
) => {
  const result = await fc.check(property, { seed, numRuns });
  if (!result.failed) return;
  const told = stepsOf(result.counterexample![0]).map(({ at, step }) =>
    JSON.stringify({ at: at - start, ...step }).replace(/179\d{10}/g, (t) => `+${+t - start}`),
  );
  throw new Error(`seed ${seed}:\n${told.join('\n')}`, { cause: result.errorInstance });
};

const length = 50;
const runs = times(450, 5000);

describe('the model of a wallet', () => {
  afterAll(() => {
    console.log(`seed ${seed}`, counted);
  });

  it(`does what the rules do, with seed ${seed}`, { timeout: 300_000 }, async () => {
    const drafts = fc.array(draft, { minLength: 1, maxLength: length, size: 'max' });
    await holds(
      runs,
      fc.asyncProperty(fc.tuple(fc.boolean(), drafts), (all) => compare(stepsOf(all))),
      stepsOf,
    );
  });

  it(`has the sources of a purchase in any order, with seed ${seed}`, {
    timeout: 300_000,
  }, async () => {
    const before = fc.array(
      draft.filter(({ fields }) => fields.type !== 'pack.reversed'),
      { maxLength: 8 },
    );
    await holds(
      times(100, 1000),
      fc.asyncProperty(fc.tuple(purchased, before, fc.array(eventOfSource, several)), inAnyOrder),
      ([first, drafts, events]) => [...firstOf(first, drafts), ...reversals(events, 0)],
    );
  });
});
