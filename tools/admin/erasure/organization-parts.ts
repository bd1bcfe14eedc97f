import { outbox, places } from '../../../lib/table/keys.ts';
import type { Place } from '../../../lib/table/place.ts';

// Where all that belongs to an organization is. What is here comes of `places`, so that a new kind can't be forgotten.

export type PlaceName = keyof typeof places;

const namesIn = (template: string): string =>
  [...template.matchAll(/<(\w+)>/g)].map(([, name]) => name).join();

const named = Object.entries<Place>(places) as [PlaceName, Place][];

/** Places whose partitions are named by an organization’s id alone. */
export const partitionedById: readonly PlaceName[] = named
  .filter(([, place]) => namesIn(place.partitionTemplate) === 'organizationId')
  .map(([name]) => name);

/** Places that name an organization, and of whose keys something else has to be known. */
export const foundElsewhere: readonly PlaceName[] = named
  .filter(([name]) => !partitionedById.includes(name))
  .filter(([, { partitionTemplate, sortTemplate }]) =>
    `${partitionTemplate} ${sortTemplate}`.includes('<organizationId>'),
  )
  .map(([name]) => name);

/** Whether items of such a partition are facts. */
export const isOfFacts = (pk: string): boolean =>
  Object.values(outbox).some((prefix) => pk.startsWith(prefix));
