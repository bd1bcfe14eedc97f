import { randomUUID } from 'node:crypto';
import { eventUpdate } from '../../../../lib/billing/events/event-update.ts';
import { extensionUpdate } from '../../../../lib/billing/holds/hold.ts';
import { captureUpdate, releaseUpdate } from '../../../../lib/billing/holds/hold-end.ts';
import { holdUpdate } from '../../../../lib/billing/holds/new-hold.ts';
import { spendUpdate } from '../../../../lib/billing/spends/spend.ts';
import type { UpdateContent } from '../../../../lib/billing/writer/wallet-update.ts';
import { pick, type Random } from '../../../support/random.ts';

/** What a request of the load asks for, and what is done once it was answered. */
export interface Asked {
  contents: UpdateContent[];
  onDone?: () => void;
}
/** The requests of a load, for a wallet. */
export type Load = (organizationId: string, next: Random) => () => Asked;

const spendOf = (organizationId: string, purpose: object = { feature: 'search' }): UpdateContent =>
  spendUpdate(organizationId, { event_id: randomUUID(), stars: 1, ...purpose });

/** Spends, so many in each request. */
export const spendsOf =
  (batchSize: number, purpose?: object): Load =>
  (organizationId) =>
  () => ({ contents: Array.from({ length: batchSize }, () => spendOf(organizationId, purpose)) });

/** All that is asked of a wallet: half are spends, and what ends or extends a hold is of one that was made before. */
export const mixed: Load = (organizationId, next) => {
  const open: string[] = [];
  const takeHold = () => open.splice(Math.floor(next() * open.length), 1)[0];
  const spend = (): Asked => ({ contents: [spendOf(organizationId)] });
  const hold = (): Asked => {
    const id = randomUUID();
    const contents = [holdUpdate(id, { stars: 2, expires_in_seconds: 600 })];
    return { contents, onDone: () => void open.push(id) };
  };
  const ofHold =
    (contentOf: (id: string) => UpdateContent, stays = false) =>
    (): Asked => {
      const id = takeHold();
      if (!id) return hold();
      return { contents: [contentOf(id)], ...(stays && { onDone: () => void open.push(id) }) };
    };
  const purchase = (): Asked => ({
    contents: [
      eventUpdate({
        type: 'pack.purchased',
        organization_id: organizationId,
        event_id: randomUUID(),
        stars: 10,
      }),
    ],
  });
  const kinds = [
    ...Array.from({ length: 10 }, () => spend),
    hold,
    hold,
    hold,
    ofHold((id) => captureUpdate(id, { stars: 1 })),
    ofHold((id) => captureUpdate(id, {})),
    ofHold(releaseUpdate),
    ofHold((id) => extensionUpdate(id, 900), true),
    ofHold((id) => extensionUpdate(id, 1200), true),
    purchase,
    (): Asked => ({ contents: Array.from({ length: 5 }, () => spendOf(organizationId)) }),
  ];
  return () => pick(next, kinds)();
};
