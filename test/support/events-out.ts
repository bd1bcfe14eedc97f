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
 * before it is missing: events of different leads may pass one another.
 */
export const eventsUntil = (
  organizationId: string,
  isLast: (event: Sent) => boolean,
): Promise<Sent[]> =>
  eventually(
    () => sentSoFar(organizationId),
    (sent) => {
      const last = sent.find(isLast);
      const numbers = new Set(sent.map(({ detail }) => detail.sequence));
      return last !== undefined && numbers.size >= last.detail.sequence;
    },
  );
