import type { Context, DynamoDBRecord } from 'aws-lambda';
import type { AnyEnrichment } from '../operations/enrichment.ts';
import { writeLine } from './log.ts';

/** Makes the Lambda handler of an enrichment: a batch of records in, their events out. */
export const serveEnrichment =
  (enrichment: AnyEnrichment) =>
  async (records: DynamoDBRecord[], context: Context): Promise<unknown[]> => {
    const startedAt = Date.now();
    const events = enrichment.handle(records);
    writeLine({
      operation: enrichment.id,
      request_id: context.awsRequestId,
      records: records.length,
      events: events.length,
      duration_ms: Date.now() - startedAt,
      capacity_units: 0,
    });
    return events;
  };
