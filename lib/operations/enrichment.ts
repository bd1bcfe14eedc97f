import type { DynamoDBRecord } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Schema } from './request.ts';

/**
 * A function that describes changed items as events. It is given the records of the table's stream that
 * the pipe lets through, in order, and has no part in the table itself.
 */
export interface Enrichment<Event extends Schema = Schema> {
  id: string;
  summary: string;
  /** What each of the answered events is. */
  event: Event;
  table: readonly [];
  handle(records: readonly DynamoDBRecord[]): z.core.output<Event>[];
}

// biome-ignore lint/suspicious/noExplicitAny: what is needed of it does not depend on its types.
export type AnyEnrichment = Enrichment<any>;

export const defineEnrichment = <Event extends Schema>(
  enrichment: Omit<Enrichment<Event>, 'table'>,
): Enrichment<Event> & { kind: 'enrichment' } => ({ kind: 'enrichment', table: [], ...enrichment });
