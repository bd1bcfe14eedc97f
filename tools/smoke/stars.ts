import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { differencesOfError, differencesOfStatus, withRequest } from './api-response.ts';
import { askAsBackend, differencesOfRepeat, organizationId } from './backend.ts';
import { type Check, NotTriedError, patiently } from './check.ts';
import type { SmokeTarget } from './target.ts';

/** Stars that a run gives. It spends as many: runs at the same time leave each other theirs. */
const given = 2;

/** Gives stars to the wallet, and spends them: half by a request, half by the bus. */
export const starChecks: Check[] = [
  {
    title: 'stars are given, and spent once; the balance has the rest',
    run: async (target) => {
      const gift = `smoke-${target.runId}-gift`;
      const purchase = { type: 'pack.purchased', stars: given };
      const gave = await askAsBackend(target, 'PUT', `/billing/events/${gift}`, purchase);
      if (gave.status !== 201) {
        return withRequest('PUT /billing/events', differencesOfStatus(gave, 201));
      }
      target.made.changes.push({ type: 'wallet.changed', id: gift });

      const id = `smoke-${target.runId}-spend`;
      const spend = (stars: number) =>
        askAsBackend(target, 'PUT', `/billing/spends/${id}`, { stars });
      const first = await spend(1);
      if (first.status !== 201) {
        return withRequest('PUT /billing/spends', differencesOfStatus(first, 201));
      }
      target.made.changes.push({ type: 'wallet.changed', id });
      const balance = await askAsBackend(target, 'GET', '/billing/balance');
      const left = balance.body?.pack_stars;
      return [
        ...withRequest('PUT /billing/spends', differencesOfRepeat(await spend(1), first)),
        ...withRequest(
          'PUT /billing/spends',
          differencesOfError(await spend(2), 'event_id_reused'),
        ),
        ...withRequest('GET /billing/balance', differencesOfStatus(balance, 200)),
        ...(left >= 1 ? [] : [`There are ${left} pack stars, and at least 1 is left.`]),
      ];
    },
  },
  {
    title: 'an event on the bus of your billing spends stars',
    run: async (target) => {
      if (target.made.changes.length === 0) throw new NotTriedError('No stars were given.');
      const id = `smoke-${target.runId}-event`;
      await sendSpend(target, id);
      const differences = await patiently(target, async () => {
        const spent = await askAsBackend(target, 'GET', `/billing/spends/${id}`);
        return spent.status === 404
          ? [`The event ${id} has not come to the wallet in time.`]
          : withRequest('GET /billing/spends', differencesOfStatus(spent, 200));
      });
      if (differences.length === 0) target.made.changes.push({ type: 'wallet.changed', id });
      return differences;
    },
  },
];

/** Throws where the bus does not take it. */
const sendSpend = async (
  { eventsInBus, stopped }: SmokeTarget,
  event_id: string,
): Promise<void> => {
  stopped?.throwIfAborted();
  const detail = { organization_id: organizationId, event_id, stars: given - 1 };
  const entry = {
    EventBusName: eventsInBus,
    Source: 'billing',
    DetailType: 'stars.spent',
    Detail: JSON.stringify(detail),
  };
  const { Entries } = await new EventBridgeClient().send(
    new PutEventsCommand({ Entries: [entry] }),
  );
  const [result] = Entries ?? [];
  if (!result?.EventId)
    throw new Error(`The bus ${eventsInBus} refuses it: ${result?.ErrorMessage}`);
};
