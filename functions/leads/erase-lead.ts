import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { erase } from '../../lib/leads/erasure/erase.ts';
import { contentGrants } from '../../lib/leads/erasure/erase-content.ts';
import { leadPath } from '../../lib/leads/lead.ts';
import { goneLeadGrants } from '../../lib/leads/lead-writes.ts';
import { readLeadState } from '../../lib/leads/restore.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'eraseLead',
  summary: 'Erase lead',
  description:
    'Removes every trace of a person: the lead, deleted or not, what was merged into it, its notes, and what its history and answers under idempotency keys tell of it. The lead is gone with the first answer, 202. Repeat the request until it answers 204: then nothing is left. Changes keep their numbers in the feed, without content. It can’t be undone.',
  method: 'POST',
  path: '/leads/{lead_id}/erase',
  permission: 'leads:erase',
  request: { path: leadPath },
  response: { status: 202, orElse: 204, body: z.undefined() },
  errors: ['not_found', 'write_conflict'],
  table: ['GetItem', 'Query', ...goneLeadGrants, ...contentGrants],

  read: readLeadState,
  handle: erase,
});

export const handler = serve(operation);
