import { createHash } from 'node:crypto';
import { ApiError, invalid } from '../operations/errors.ts';
import type { Grant } from '../table/grants.ts';
import { planKey, walletEventKey, walletKey } from '../table/keys.ts';
import { retried } from '../table/retry.ts';
import type { Item, Table, Write } from '../table/table.ts';
import { putLedgerEntry } from './ledger.ts';
import { toPlan } from './plans.ts';
import { apply, type Refusal, refusals } from './rules.ts';
import { type Balance, toBalance, toWallet, type Wallet, walletItem } from './wallet.ts';
import type { WalletEvent } from './wallet-events.ts';

/** What applying an event does with the table. */
export const applyGrants = ['BatchGetItem', 'PutItem'] as const satisfies Grant[];
type ApplyTable = Table<(typeof applyGrants)[number]>;

/** The wallet after the event, also after a repeat of it; or as it is, where the event is refused. */
export interface Outcome {
  balance: Balance;
  refused?: Refusal;
}

/** The error of a refusal, where being refused is one. */
export const refusedError = (refusal: Refusal): ApiError =>
  invalid(refusals[refusal].path, refusals[refusal].message);

/**
 * Applies an event to its wallet: wallet, ledger entry and guard in one transaction, once. Who loses a
 * race reads again and retries until the table's deadline; then it is `write_conflict`, and nothing is stored.
 * Throws `invalid_request` for an unknown organization and `event_id_reused` for an event_id
 * that another event has.
 */
export const applyEvent = async (table: ApplyTable, event: WalletEvent): Promise<Outcome> => {
  const lostRace = (error: unknown) => error instanceof ApiError && error.code === 'write_conflict';
  try {
    return await retried(table, () => attempt(table, event), lostRace);
  } catch (error) {
    if (error instanceof Repeated) return firstOutcome(event, error.guard);
    throw error;
  }
};

const attempt = async (table: ApplyTable, event: WalletEvent): Promise<Outcome> => {
  const { organization_id, event_id } = event;
  const guardKey = walletEventKey(organization_id, event_id);
  const [item, guard, planItem] = await table.getAll([
    walletKey(organization_id),
    guardKey,
    needsPlan(event) ? planKey(event.tier) : undefined,
  ]);
  if (guard) return firstOutcome(event, guard);
  if (!item) throw invalid('organization_id', 'is not an organization');
  const before = toWallet(item);
  const now = Date.now();
  const applied = apply(before, event, now, planItem && toPlan(planItem));
  if (typeof applied === 'string') {
    // The guard may have been read before, and the wallet after, this very event was applied.
    const [late] = await table.getAll([guardKey]);
    return late ? firstOutcome(event, late) : { refused: applied, balance: toBalance(before, now) };
  }
  const balance = toBalance(applied.wallet, now);
  await table.transact(
    [
      // First, so that a repeat is told its first outcome and not that it conflicts with itself.
      {
        Put: {
          Item: { ...guardKey, fingerprint: fingerprint(event), balance: JSON.stringify(balance) },
          ConditionExpression: 'attribute_not_exists(pk)',
        },
        refused: (existing) => new Repeated(existing),
      },
      putWallet(organization_id, applied.wallet, before.version),
      ...putLedgerEntry(organization_id, applied.entry),
    ],
    { retryConflicts: false },
  );
  return { balance };
};

type NeedsPlan = Extract<WalletEvent, { tier: string }>;
const needsPlan = (event: WalletEvent): event is NeedsPlan =>
  'tier' in event && event.monthly_grant_stars === undefined;

const putWallet = (organizationId: string, wallet: Wallet, version: number): Write<'PutItem'> => ({
  Put: {
    Item: walletItem(organizationId, wallet),
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': version },
  },
  refused: () => new ApiError('write_conflict'),
});

/** The event is flat, so its sorted names make the text the same for the same event. */
const fingerprint = (event: WalletEvent): string =>
  createHash('sha256')
    .update(JSON.stringify(event, Object.keys(event).sort()))
    .digest('base64url');

const firstOutcome = (event: WalletEvent, guard: Item | undefined): Outcome => {
  if (guard?.fingerprint !== fingerprint(event)) {
    throw new ApiError('event_id_reused', {
      details: [{ path: 'event_id', message: 'was used for another event' }],
    });
  }
  return { balance: JSON.parse(guard.balance as string) };
};

class Repeated extends Error {
  readonly guard: Item | undefined;
  constructor(guard: Item | undefined) {
    super('the event was applied before');
    this.guard = guard;
  }
}
