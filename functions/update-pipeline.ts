import * as z from 'zod/mini';
import { ApiError } from '../lib/errors.ts';
import { assertMatch, etag } from '../lib/etag.ts';
import { uuid } from '../lib/fields.ts';
import { serve } from '../lib/http/serve.ts';
import { answerOnce, type Idempotency, idempotencyOf, writeOnce } from '../lib/idempotency.ts';
import { readCounters } from '../lib/leads/counters.ts';
import { changeStages } from '../lib/leads/stages.ts';
import { type Call, defineOperation, type Reply } from '../lib/operation.ts';
import {
  type Pipeline,
  patched,
  pipeline,
  pipelinePatch,
  putPipeline,
  stagesOnlyIn,
  toPipeline,
  versionOf,
} from '../lib/organizations/pipelines.ts';
import { pipelineKey } from '../lib/table/keys.ts';
import { whileChanged } from '../lib/table/retry.ts';
import type { Item, Table } from '../lib/table/table.ts';

export const operation = defineOperation({
  id: 'updatePipeline',
  summary: 'Changes a pipeline; removes no stage that has leads.',
  description:
    '`stages` is the whole list: what is not in it is removed, which is 409 `stage_in_use` while it has leads. A renamed stage is a removed and a new one. At most 8 stages are removed or brought back in one change. No field takes `null`.',
  method: 'PATCH',
  path: '/pipelines/{pipeline_id}',
  permission: 'pipelines:write',
  request: { path: z.strictObject({ pipeline_id: uuid() }), body: pipelinePatch },
  idempotent: true,
  conditional: true,
  versioned: true,
  response: { status: 200, body: pipeline },
  errors: [
    'not_found',
    'idempotency_key_reused',
    'stage_in_use',
    'write_conflict',
    'precondition_failed',
  ],
  table: ['BatchGetItem', 'Query', 'PutItem', 'UpdateItem'],

  async read(call, table) {
    const { organizationId, path, body } = call;
    const idempotency = idempotencyOf('updatePipeline', call, [path, body]);
    const key = pipelineKey(organizationId, path.pipeline_id);
    const [found, record] = await table.getAll([key, idempotency?.key]);
    return { idempotency, key, found, record };
  },

  handle: (call, { key, idempotency, record, found }, table) =>
    answerOnce<Pipeline>(table, idempotency, record, () =>
      whileChanged(
        table,
        found,
        async () => (await table.getAll([key]))[0],
        (item) => update(call, item, idempotency, table),
      ),
    ),
});

export const handler = serve(operation);

type UpdateCall = Call<{ pipeline_id: string }, unknown, z.output<typeof pipelinePatch>>;
type UpdateTable = Table<'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem'>;

async function update(
  { organizationId, body, ifMatch, now }: UpdateCall,
  item: Item | undefined,
  idempotency: Idempotency | undefined,
  table: UpdateTable,
): Promise<Reply<Pipeline>> {
  if (!item) throw new ApiError('not_found');
  const version = versionOf(item);
  assertMatch(ifMatch, version);
  const before = toPipeline(item);
  const after = patched(before, body, now);
  const removed = stagesOnlyIn(before, after);
  const added = stagesOnlyIn(after, before);
  const stages =
    removed.length + added.length === 0
      ? []
      : changeStages(
          { organizationId, pipelineId: before.id, removed, added, now },
          await readCounters(table, organizationId, before.id),
        );
  return writeOnce<Pipeline, 'PutItem' | 'UpdateItem'>(
    table,
    idempotency,
    [putPipeline(organizationId, after, version + 1), ...stages],
    { headers: etag(version + 1), body: after },
  );
}
