import { ApiError } from '../errors/errors.ts';
import type { Call } from '../operations/request.ts';
import { assertMatch } from '../schema/etag.ts';
import { retryOnConflict } from '../table/retry.ts';
import type { Reader } from '../table/table.ts';
import { readWebhook, type StoredWebhook } from './stored-webhook.ts';

/**
 * Changes a webhook as it is. Where another change, or a worker, comes between reading and writing, it changes the
 * webhook as that left it, unless the client named a version. Throws `not_found`, `precondition_failed`, and
 * `write_conflict` when the others don't end.
 */
export const changeLatestWebhook = <T>(
  { organizationId, path, ifMatch }: Call<{ path: { webhook_id: string } }>,
  webhookItem: StoredWebhook | undefined,
  table: Reader<'GetItem'>,
  change: (item: StoredWebhook) => Promise<T>,
): Promise<T> =>
  retryOnConflict(
    table,
    webhookItem,
    () => readWebhook(table, organizationId, path.webhook_id),
    async (item) => {
      if (!item) throw new ApiError('not_found');
      assertMatch(ifMatch, item.version);
      return change(item);
    },
  );
