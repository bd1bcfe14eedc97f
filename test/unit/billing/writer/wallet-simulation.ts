import { randomUUID } from 'node:crypto';
import { assertChained } from '../../../../lib/billing/rules/invariants.ts';
import type { LedgerEntry } from '../../../../lib/billing/stored/ledger-entry.ts';
import { ledgerEntryKind, toLedgerEntry } from '../../../../lib/billing/stored/stored-entry.ts';
import {
  emptyWallet,
  toWallet,
  type Wallet,
  walletKind,
} from '../../../../lib/billing/stored/wallet.ts';
import { changeWalletInBatch } from '../../../../lib/billing/writer/change-wallet.ts';
import type { UpdateResult } from '../../../../lib/billing/writer/decisions.ts';
import { walletTableFor } from '../../../../lib/billing/writer/wallet-table.ts';
import { askedBy, prepare } from '../../../../lib/billing/writer/wallet-update.ts';
import { ApiError } from '../../../../lib/errors/errors.ts';
import type { CallerOrigin } from '../../../../lib/facts/origin.ts';
import { places } from '../../../../lib/table/keys.ts';
import { replyBeforeTimeoutMs, timeBoundsAfter } from '../../../../lib/table/retry.ts';
import type { Item } from '../../../../lib/table/table.ts';
import { estimatedUnits, type Units } from '../../../../lib/table/units.ts';
import { walletItem } from '../../../support/billing-items.ts';
import { type Random, random } from '../../../support/random.ts';
import { type SimulatedStep, SimulatedStore } from '../../../support/simulated-store.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import type { Asked, Load } from './wallet-load.ts';

/** Milliseconds that a function has for a request. */
const functionMs = 11_000 - replyBeforeTimeoutMs;
const dayMs = 86_400_000;

export interface LoadOptions {
  load: Load;
  /** Requests that come in a second, at random. */
  perSecond: number;
  seconds: number;
  seed: number;
  /** Packs with an expiry each that the wallet has. */
  packs?: number;
}

/** What became of the requests. */
export interface LoadOutcome {
  /** Milliseconds that each took, the shortest first. */
  tookMs: number[];
  /** How many were refused, by the code of the error. */
  refused: Record<string, number>;
  /** Write units for each update that was made, those of failed transactions and of entries' numbers among them. */
  unitsOfUpdate: number;
  /** Requests to the table of each request. */
  requestsOfOne: { reads: number; writes: number };
}

export interface SendOptions {
  /** What befalls its requests to the table. */
  step?: SimulatedStep | undefined;
  /** The caller's own spender. */
  spender?: string | undefined;
}

export interface Answer {
  origin: CallerOrigin;
  results: UpdateResult[];
  /** The units that count for it. */
  units: Units;
}

/** A wallet with so many packs that expire, a day after one another. */
export const walletWith = (packs: number): Wallet => {
  const all = Array.from({ length: packs }, (_, i) => ({
    expires_at: Date.parse('2027-01-01T00:00:00Z') + i * dayMs,
    stars: 1_000_000,
    held: 0,
  }));
  return { ...emptyWallet, packs: all, pack_stars: (packs + 1) * 1_000_000 };
};

/**
 * Requests to one wallet in virtual time: the service's own code, and a table that refuses those that meet, and what a
 * partition can't take. Throws where an update was not made once.
 */
export class WalletSimulation {
  readonly organizationId = randomUUID() as string;
  readonly clock: VirtualClock;
  readonly store: SimulatedStore;
  readonly #next: Random;
  /** When each entry was written, by its version. */
  readonly #writtenAt = new Map<number, number>();

  constructor(seed: number, wallet: Wallet = walletWith(0)) {
    this.#next = random(seed);
    this.clock = new VirtualClock(this.#next);
    this.store = new SimulatedStore(this.clock);
    this.store.throughput.isLimited = true;
    this.store.put(walletItem(this.organizationId, wallet));
    this.store.onWrite = (items) => this.#number(items);
  }

  /** Entries get their numbers soon after: that is a write more to each. */
  #number(items: readonly Item[]): void {
    const { ledgerEntry } = places;
    const pk = ledgerEntry.partition({ organizationId: this.organizationId });
    const entries = items.filter((item) => item.pk === pk);
    for (const { version } of entries) this.#writtenAt.set(Number(version), this.clock.now);
    const units = estimatedUnits(entries.map((Item) => ({ Put: { Item } })));
    if (units > 0) this.store.throughput.write([[pk, units]]);
  }

  /** Makes a request of its own. */
  async send({ contents }: Asked, { step, spender }: SendOptions = {}): Promise<Answer> {
    const table = this.store.open(step).during(timeBoundsAfter(functionMs));
    const origin = { by: randomUUID(), requestId: randomUUID() };
    const prepared = await prepare(table, this.organizationId, ...contents);
    const change = askedBy({ origin, spender }, prepared);
    const results = await changeWalletInBatch(walletTableFor(table, origin), change);
    table.end();
    return { origin, results, units: table.unitsByKind };
  }

  /** The ledger, the oldest entry first. Throws where it, and the wallet, are not sound. */
  ledger(): LedgerEntry[] {
    const { organizationId } = this;
    const items = this.store.partition(ledgerEntryKind.partition({ organizationId }));
    const entries = items.map((item) => toLedgerEntry(ledgerEntryKind.parse(item)));
    assertChained(entries.toReversed());
    const last = entries.at(-1);
    const wallet = this.wallet();
    if (last && (last.pack_after !== wallet.pack_stars || last.version !== wallet.version)) {
      throw new Error('the wallet is not after its last entry');
    }
    return entries;
  }

  /** When the entry of this version was written: its own time may be earlier. */
  writtenAt(version: number): number {
    return this.#writtenAt.get(version)!;
  }

  wallet(): Wallet {
    const key = walletKind.key({ organizationId: this.organizationId });
    return toWallet(key.read(this.store.get(key))!);
  }

  /** Keys of the requests that wait. */
  waiting(): string[] {
    const { organizationId } = this;
    return this.store
      .partition(places.waitingRequest.partition({ organizationId }))
      .map(({ sk }) => String(sk));
  }

  async run({ load, perSecond, seconds }: LoadOptions): Promise<LoadOutcome> {
    const make = load(this.organizationId, this.#next);
    const outcome: LoadOutcome = {
      tookMs: [],
      refused: {},
      unitsOfUpdate: 0,
      requestsOfOne: { reads: 0, writes: 0 },
    };
    let made = 0;
    const requests = { reads: 0, writes: 0 };
    this.store.onRequest = (name) => {
      requests[name === 'TransactWriteCommand' ? 'writes' : 'reads']++;
    };
    const sendOne = async () => {
      const asked = make();
      const cameAt = this.clock.now;
      // One that is shorter than another changes nothing.
      const isExtension = asked.contents[0]?.cause.type === 'hold.extended';
      try {
        const { results } = await this.send(asked);
        for (const result of results) {
          if ('error' in result) throw result.error;
          if (result.isRepeat && !isExtension) throw new Error('made twice');
          made++;
        }
        outcome.tookMs.push(this.clock.now - cameAt);
        asked.onDone?.();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        outcome.refused[error.code] = (outcome.refused[error.code] ?? 0) + 1;
      }
    };
    const all: Promise<void>[] = [];
    const count = perSecond * seconds;
    for (let n = 0; n < count; n++) {
      this.clock.after(this.#next() * seconds * 1000, () => all.push(sendOne()));
    }
    // Those that came last may take all of their time.
    await this.clock.run(seconds * 1000 + functionMs);
    await Promise.all(all);
    outcome.tookMs.sort((a, b) => a - b);
    outcome.unitsOfUpdate = this.store.throughput.written / made;
    outcome.requestsOfOne = { reads: requests.reads / count, writes: requests.writes / count };
    return outcome;
  }
}

/** Requests that come to one wallet at random. */
export const simulateLoad = (options: LoadOptions): Promise<LoadOutcome> =>
  new WalletSimulation(options.seed, walletWith(options.packs ?? 0)).run(options);

/** The milliseconds that this share of the requests took at most. */
export const percentile = ({ tookMs }: LoadOutcome, share: number): number =>
  Math.round(tookMs[Math.floor(tookMs.length * share)] ?? Number.NaN);
