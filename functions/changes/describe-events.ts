import { unmarshall } from '@aws-sdk/util-dynamodb';
import { asChange, change } from '../../lib/changes/change.ts';
import { serveEnrichment } from '../../lib/handlers/enrichment.ts';
import { defineEnrichment } from '../../lib/operations/enrichment.ts';

export const operation = defineEnrichment({
  id: 'describeEvents',
  summary: 'Describes what changed in leads and wallets, as events.',
  event: change,

  handle: (records) =>
    // The types of the record and of the SDK differ in how they spell bytes, and nothing here has any.
    records.map(({ dynamodb }) =>
      asChange(unmarshall((dynamodb?.NewImage ?? {}) as Parameters<typeof unmarshall>[0])),
    ),
});

export const handler = serveEnrichment(operation);
