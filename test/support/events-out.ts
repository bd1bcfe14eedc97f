import { readFileSync } from 'node:fs';
import type { BusEvent } from '@leads-and-stars/runner';
import { inject } from 'vitest';
import { eventually } from './eventually.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape.
export type Sent = Omit<BusEvent, 'detail'> & { detail: any };

/** The events of an organization so far, in the order in which the bus took them. */
const sentSoFar = (organizationId: string): Sent[] =>
  readFileSync(inject('service').eventsFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes(organizationId))
    .map((line) => JSON.parse(line));

/** Events in the order of the feed. */
export const inFeedOrder = (events: readonly Sent[]): Sent[] =>
  events.toSorted((a, b) => a.detail.sequence - b.detail.sequence);

/**
 * The events of an organization, in the order in which the bus took them, once the last one wanted is there and no number
 * before it is missing: events of different leads may pass one another. Their numbers, too: see `feedUntil`.
 */
export const eventsUntil = (
  organizationId: string,
  isLast: (event: Sent) => boolean,
): Promise<Sent[]> =>
  eventually(
    () => sentSoFar(organizationId),
    (sent) => {
      const last = sent.find(isLast)?.detail.sequence;
      const numbers = sent.map(({ detail }) => detail.sequence).filter((one) => one <= last);
      return last !== undefined && new Set(numbers).size === last;
    },
  );
