import type { WalletStep } from '../../rules/step.ts';
import { isCrowded, timeOf } from '../../stored/wallet.ts';
import { answer } from '../answer.ts';
import { decide, type FoundWallet, foundAfter, type UpdateResult } from '../decisions.ts';
import { decideFitting, stepsOf } from '../fitting.ts';
import { logUnserved } from '../unserved.ts';
import type { WalletTable } from '../wallet-table.ts';
import { writeOff } from '../write-off.ts';
import { mostItems, writesOf } from '../writes.ts';
import { readForAll, readLimitsForAll } from './read-all.ts';
import {
  type FoundRequest,
  type Named,
  readWaitingRequests,
  removeWaitingRequest,
  type WaitingRequest,
} from './waiting-request.ts';

/** How many requests in one transaction mark the wallet as crowded, and for how many milliseconds. */
const [crowd, crowdedMs] = [3, 1000];
/** The most requests in one transaction while the wallet is not marked: it often loses, and DynamoDB charges it all the same. */
const mostBeforeCrowd = 10;

/** An update writes two items at least, and its request is one more. */
const leastItems = (updates: number): number => 2 * updates + 1;

/** The oldest requests of others, as many as may have room beside one's own request, if there is one, and the wallet. */
const takeOldest = (
  own: WaitingRequest | undefined,
  found: readonly FoundRequest[],
): FoundRequest[] => {
  let items = 1 + (own ? leastItems(own.updates.length) : 0);
  const others = found.filter(({ time, id }) => time !== own?.time || id !== own.id);
  const end = others.findIndex(({ request }) => {
    items += request ? leastItems(request.updates.length) : 1;
    return items > mostItems;
  });
  return end < 0 ? others : others.slice(0, end);
};

interface Combined {
  /** The results of one's own updates, as many as there is room for. */
  results: UpdateResult[];
  /** Whether requests were read that had no room. */
  isMoreLeft: boolean;
}

/**
 * Carries out `own` and the requests that wait, the oldest first and each whole, in one transaction that removes them. A request
 * that is refused, over or unreadable, or throws, is removed without effect. Returns undefined if the clock's work had to be
 * written first, or the wallet is gone. Throws `ConflictError` if another write came between, and `unavailable` if the table has
 * no room now: the transaction is not sent again, as the wallet has changed by then.
 */
export const combine = async (
  table: WalletTable,
  organizationId: string,
  own?: WaitingRequest,
): Promise<Combined | undefined> => {
  // Read.
  const inLine = await readWaitingRequests(table.forOthers, organizationId);
  const others = takeOldest(own, inLine);
  if (!own && others.length === 0) return { results: [], isMoreLeft: false };
  const read = await readForAll(table.forOthers, organizationId, own, others);
  const { found } = read;
  if (!found.wallet) {
    // The organization is being erased: who begins anew finds that out.
    if (own) await table.forOthers.commit([removeWaitingRequest(organizationId, own)]);
    return undefined;
  }
  const now = timeOf(found.wallet, Date.now());
  const wallet = await writeOff(table, organizationId, found.wallet, now);
  if (!wallet) return undefined;

  const requests = { own, others };
  const { before, waiting } = await readLimitsForAll(table.forOthers, organizationId, requests, {
    ...read,
    wallet,
  });

  // Decide.
  const ofOwn = decideFitting(organizationId, own?.updates ?? [], before, now, 1);
  const { steps, writes, removed } = decideAll(organizationId, { ofOwn, before, waiting, now });

  // Write.
  const done = [...removed, ...(own ? [own] : [])];
  const removals = done.map((one) => removeWaitingRequest(organizationId, one));
  // What each request takes was counted for its sender as that put it into the line.
  const once = { retryConflicts: false, retryThrottles: false };
  await table.forOthers.commit([...writes, ...removals], { ...once, countedUnits: 0 });
  logUnserved(organizationId, steps);
  logUntaken(organizationId, waiting.slice(0, removed.length));
  const results = await answer(table, organizationId, ofOwn.decisions, now);
  return { results, isMoreLeft: inLine.length > done.length };
};

/** What was read, and decided of one's own request. */
interface Combination {
  ofOwn: ReturnType<typeof decideFitting>;
  before: FoundWallet;
  waiting: readonly FoundRequest[];
  now: number;
}

/** What is decided of all, as far as there is room: the steps, their writes, and the others' requests that they remove. */
const decideAll = (organizationId: string, { ofOwn, before, waiting, now }: Combination) => {
  const ownSteps = stepsOf(ofOwn.decisions);
  const most = isCrowded(before.wallet, now) ? mostItems : mostBeforeCrowd;
  const others: { named: Named; steps: WalletStep[] }[] = [];
  let latest = ownSteps.reduce(foundAfter, before);
  let carriedOut = ownSteps.length > 0 ? 1 : 0;
  for (const { request, ...named } of waiting) {
    if (carriedOut >= most) break;
    const steps = request ? tryToDecide(request, latest, now) : [];
    others.push({ named, steps });
    latest = steps.reduce(foundAfter, latest);
    if (steps.length > 0) carriedOut++;
  }
  for (;;) {
    const all = [ownSteps, ...others.map(({ steps }) => steps)].filter(({ length }) => length > 0);
    const steps = all.length < crowd ? all.flat() : markCrowded(all.flat(), now);
    const writes = writesOf(organizationId, before.wallet, before.records, steps);
    // Each request is removed, also one's own.
    if (writes.length + others.length + 1 <= mostItems) {
      return { steps, writes, removed: others.map(({ named }) => named) };
    }
    others.pop();
  }
};

const markCrowded = (steps: readonly WalletStep[], now: number): WalletStep[] =>
  steps.map((step, i) =>
    i < steps.length - 1
      ? step
      : { ...step, wallet: { ...step.wallet, crowded_until: now + crowdedMs } },
  );

/** The steps of another's request; none if it throws. Its sender finds out, and decides by what it reads. */
const tryToDecide = (request: WaitingRequest, found: FoundWallet, now: number) => {
  try {
    return stepsOf(decide(request.updates, found, now));
  } catch {
    return [];
  }
};

/** Says in the log how many requests nobody had carried out until their time was over: an alarm counts them. */
const logUntaken = (organization_id: string, removed: readonly FoundRequest[]): void => {
  for (const { isOver, id } of removed) {
    if (isOver) console.warn({ outcome: 'untaken', organization_id, waiting_request_id: id });
  }
};
