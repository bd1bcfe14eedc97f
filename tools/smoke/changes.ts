import { differencesOfStatus, withRequest } from './api-response.ts';
import { askAsBackend } from './backend.ts';
import { type Check, NotTriedError, patiently } from './check.ts';
import type { ExpectedChange, SmokeTarget } from './target.ts';

/** Checks that begin to listen before anything happens. */
export const listenerChecks: Check[] = [
  {
    title: 'the bus of outgoing events can be listened to',
    run: async ({ listen, noListenerReason, made }) => {
      if (!listen) throw new NotTriedError(noListenerReason);
      made.listener = await listen();
      return [];
    },
  },
];

/** Checks of what the service tells of all that happened. */
export const changeChecks: Check[] = [
  {
    title: 'what has happened is in the feed',
    run: async (target) => {
      const { webhook } = target.made;
      if (!webhook)
        throw new NotTriedError('Where the feed ended is not known: no webhook was made.');
      const all: SeenChange[] = [];
      let after = webhook.checkpoint;
      return patiently(target, async () => {
        const page = await askAsBackend(target, 'GET', `/changes?after=${after}&limit=200`);
        if (page.status !== 200) return withRequest('GET /changes', differencesOfStatus(page, 200));
        all.push(...page.body.items);
        after = page.body.last_sequence;
        return missingIn(all, target).map((name) => `${name} was not numbered in time.`);
      });
    },
  },
  {
    title: 'what has happened is sent to the bus',
    run: async (target) => {
      const { listener } = target.made;
      if (!listener) throw new NotTriedError('Nobody listens to the bus.');
      return patiently(target, async () => {
        const events = await listener.received();
        const all = events.map((event) => ({ ...event.detail, type: event['detail-type'] }));
        return missingIn(all, target).map((name) => `${name} was not sent in time.`);
      });
    },
  },
];

/** The fields of a change that tell it from others. */
interface SeenChange {
  type: string;
  lead_id?: string;
  entry?: { event_id: string };
}

const is = ({ type, lead_id, entry }: SeenChange, expected: ExpectedChange): boolean =>
  type === expected.type && (lead_id ?? entry?.event_id) === expected.id;

/** The changes of this run that are not among these. */
const missingIn = (all: readonly SeenChange[], { made: { changes } }: SmokeTarget): string[] => {
  if (changes.length === 0) throw new NotTriedError('Nothing has happened.');
  return changes
    .filter((expected) => !all.some((change) => is(change, expected)))
    .map(({ type, id }) => `${type} of ${id}`);
};
