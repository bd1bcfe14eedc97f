import { openExits } from '../../lib/changes/exits.ts';
import { toOutgoingEvent } from '../../lib/changes/outgoing-event.ts';
import { type Exits, publishEvents } from '../../lib/changes/publish.ts';
import { serveFeedItems } from '../../lib/handlers/feed.ts';
import { defineBackground } from '../../lib/operations/kinds/background.ts';

let exits: Exits | undefined;

export const operation = defineBackground({
  kind: 'stream',
  takes: 'feed items',
  id: 'publishChanges',
  summary: 'Puts what changed on the bus of outgoing events.',
  table: [],

  async handle(items, limit) {
    exits ??= openExits();
    const { left, ...rest } = await publishEvents(items.map(toOutgoingEvent), exits, limit);
    return { ...rest, left: left.map(({ item }) => item) };
  },
});

export const handler = serveFeedItems(operation);
