import { pastMoment, someOrganization } from '../service/reference-page.ts';

/**
 * Values of what a client may leave out, by name. Programs that import the document may send all of them at once: so they
 * are values that work together, with what the local runner has at its first start.
 */
export const optionalExamples: Readonly<Record<string, unknown>> = {
  'X-Organization-Id': someOrganization,
  'Idempotency-Key': '3f0c8a52-6d1e-4b7a-9c35-2e8f41d7b906',
  'If-Match': '*',
  // An empty cursor is that of the first page.
  cursor: '',
  pipeline_id: '01a1fc01-02b9-730f-b111-47189a9f579e',
  stage: ['new'],
  owner_id: 'e50e3548-f5e0-5c9c-a6f2-0999890dc33d',
  q: 'maria',
  external_id: 'crm-4711',
  email: 'maria@example.com',
  phone: '+5511987654321',
  next_step_at: '',
  value_cents: '',
  tag: ['inbound'],
  fields: { source: 'google' },
  created_by: 'e50e3548-f5e0-5c9c-a6f2-0999890dc33d',
  created_from: '2026-01-01T00:00:00Z',
  created_to: '2027-01-01T00:00:00Z',
  updated_from: '2026-01-01T00:00:00Z',
  updated_to: '2027-01-01T00:00:00Z',
  stage_entered_from: '2026-01-01T00:00:00Z',
  stage_entered_to: '2027-01-01T00:00:00Z',
  next_step_from: '2026-01-01T00:00:00Z',
  next_step_to: '2030-01-01T00:00:00Z',
  value_from: '0',
  value_to: '100000000',
  from: '2026-01-01T00:00:00Z',
  to: '2026-11-20T00:00:00Z',
  at: pastMoment,
  user_id: 'platform',
  feature: 'enrich',
  spender: 'job-17',
};
