import type { Memory } from '../../../admission/memory.ts';
import {
  endRequest,
  type OpenRequest,
  openRequest,
  type RequestStart,
} from '../../../admission/open-request.ts';
import type { TableClient } from '../../../table/client.ts';
import { timeBoundsOf } from '../../../table/retry.ts';
import type { Middleware } from '../middleware.ts';

/** Opens the request, and ends what is still under way of it, before it gets its response. */
export const requestScope = (
  table: () => TableClient,
  memory: Memory,
): Middleware<RequestStart, OpenRequest> => ({
  before: ({ context }) => {
    Object.assign(context, openRequest(context, table().during(timeBoundsOf(context)), memory));
  },
  after: ({ context }) => endRequest(context),
  onError: ({ context: { table: opened, endings } }) =>
    opened && endings && endRequest({ table: opened, endings }),
});
