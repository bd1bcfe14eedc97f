import { expect, test } from 'vitest';
import document from '../../../docs/openapi.json' with { type: 'json' };
import * as values from '../../../lib/fields/values.ts';
import { mostNameCharacters } from '../../../packages/client/src/cli/amend.ts';
import { mostLeads } from '../../../packages/client/src/cli/batches.ts';
import { mostTextCharacters } from '../../../packages/client/src/cli/row-reader.ts';

test('the command line cuts names, texts and batches where the API has its limits', () => {
  const { LeadInput, LeadBatch } = document.components.schemas;
  expect(mostNameCharacters).toBe(LeadInput.properties.contact_name.maxLength);
  expect(mostLeads).toBe(LeadBatch.properties.leads.maxItems);
  expect(mostTextCharacters).toBe(values.mostTextCharacters);
});
