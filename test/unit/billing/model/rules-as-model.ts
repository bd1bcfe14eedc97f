import { toHoldEnd } from '../../../../lib/billing/holds/hold-end.ts';
import { stepOf } from '../../../../lib/billing/rules/step.ts';
import type { EventRecord } from '../../../../lib/billing/stored/event-record.ts';
import { openHoldOf } from '../../../../lib/billing/stored/open-hold.ts';
import { isDone } from '../../../../lib/billing/writer/by-record.ts';
import { ApiError } from '../../../../lib/errors/errors.ts';
import type {
  ModelBalance,
  ModelEnd,
  ModelLine,
  Step,
  WalletModel,
} from '../../../support/wallet-model.ts';
import { event, iso, plan } from '../rules/wallets.ts';
import { World } from '../world.ts';

type Cause = Parameters<typeof stepOf>[1];

/** The rules, as a model: with what they need of a store: records of events, and which holds are open. */
export class RulesAsModel implements WalletModel {
  readonly #world: World;
  readonly #records = new Map<string, EventRecord>();
  #now: number;

  constructor(start: number) {
    this.#now = start;
    this.#world = new World(start);
  }

  passTime(to: number): void {
    this.#now = to;
    this.#world.settle(to);
  }

  balance(): ModelBalance {
    const balance = this.#world.balanceNow(this.#now);
    const { total_stars, as_of, next_expiry, next_grant, subscription: told, ...stars } = balance;
    const at = <T extends { at: string }>(one: T | null) =>
      one && { ...one, at: Date.parse(one.at) };
    const { monthly_lapse_at: lapse } = balance;
    return {
      ...stars,
      next_expiry: at(next_expiry),
      monthly_lapse_at: lapse === null ? null : Date.parse(lapse),
      next_grant: at(next_grant),
      subscription: told && {
        ...told,
        current_period_end: Date.parse(told.current_period_end),
      },
    };
  }

  do(step: Step): { refused: boolean; end?: ModelEnd } {
    const { id } = step;
    const record = this.#records.get(id);
    const cause = causeOf(step);
    const known = this.#knownOf(step, cause);
    if (known) return known;
    const names = ['refunds', 'purchase', 'paid']
      .map((name) => (cause as never)[name])
      .find(Boolean);
    const target = names && this.#records.get(names);
    const isPro = 'tier' in cause && cause.tier === plan.tier;
    const { wallet } = this.#world;
    const state = { wallet, record, plan: isPro ? plan : undefined, target };
    const result = stepOf(state, cause, this.#now);
    if (typeof result === 'string') return { refused: true };
    this.#world.add(result, this.#now);
    this.#records.set(id, result.record);
    if (result.target && names) this.#records.set(names, result.target);
    this.#keepHold(id, result.record);
    return { refused: false, ...endOf(step, result.record) };
  }

  /** What the record alone answers: to a repeat, or to an id that is of something else. */
  #knownOf(step: Step, cause: Cause): { refused: boolean; end?: ModelEnd } | undefined {
    const record = this.#records.get(step.id);
    try {
      if (!isDone({ cause }, record, this.#now)) return undefined;
    } catch (error) {
      if (error instanceof ApiError) return { refused: true };
      throw error;
    }
    return { refused: false, ...endOf(step, record!) };
  }

  /** Keeps which holds are open. */
  #keepHold(id: string, record: EventRecord) {
    this.#world.open.delete(id);
    const hold = openHoldOf(id, record);
    if (hold) this.#world.open.set(id, hold);
  }
}

/** How a hold has ended. */
const endOf = ({ type }: Step, record: EventRecord): { end?: ModelEnd } => {
  if (type !== 'capture' && type !== 'release') return {};
  const { captured_stars, missing_stars, returned_stars } = toHoldEnd(record);
  return { end: { captured: captured_stars, missing: missing_stars, returned: returned_stars } };
};

const causeOf = ({ id: event_id, ...step }: Step): Cause => {
  switch (step.type) {
    case 'hold': {
      const { stars, expires_in } = step;
      return { type: 'stars.held', event_id, stars, expires_in_seconds: expires_in / 1000 };
    }
    case 'extend':
      return { type: 'hold.extended', event_id, expires_in_seconds: step.expires_in / 1000 };
    case 'capture':
      return { ...step, type: 'hold.captured', event_id };
    case 'release':
      return { type: 'hold.released', event_id };
    case 'stars.adjusted':
      return event({ ...step, event_id, reason: 'by hand' });
    default:
      return event({ ...withTexts(step), event_id });
  }
};

const timeFields = ['occurred_at', 'expires_at', 'period_end', 'period_start', 'from', 'until'];

/** The fields of an event, with times as the API takes them. */
const withTexts = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        if (name === 'lines') return [name, (value as ModelLine[]).map(withTexts)];
        return [name, timeFields.includes(name) ? iso(value as number) : value];
      }),
  );
