import type { OpenRequest, RequestStart } from '../../../admission/open-request.ts';
import type { ToolUse } from '../../../agents/toolbox.ts';
import { type ApiError, toApiError } from '../../../errors/errors.ts';
import type { Routed } from '../../../operations/definition.ts';
import type { Caller } from '../../../organizations/caller.ts';
import { writeLine } from '../../log.ts';
import type { Middleware } from '../middleware.ts';

/** Notes when the request came, and logs one line once it has its response. */
export const requestLog = ({
  id,
}: Routed): Middleware<object, Pick<RequestStart, 'startedAt'>> => ({
  before: ({ context }) => {
    Object.assign(context, { startedAt: Date.now() } satisfies Partial<RequestStart>);
  },
  after: ({ event, context, response }) =>
    log(id, event.requestContext.requestId, context, response.statusCode),
  onError: ({ event, context, response, error }) =>
    log(id, event.requestContext.requestId, context, response.statusCode, toApiError(error)),
});

const log = (
  operation: string,
  request_id: string,
  {
    startedAt,
    organizationId,
    userId,
    table,
    uncountedRequests,
    use,
  }: Partial<OpenRequest & Caller & { use: ToolUse }>,
  status: number,
  error?: ApiError,
): void =>
  writeLine(
    {
      operation,
      tool: use?.tool,
      status,
      request_id,
      organization_id: organizationId,
      user_id: userId,
      duration_ms: startedAt === undefined ? 0 : Date.now() - startedAt,
      capacity_units: table?.units ?? 0,
      uncounted_requests: uncountedRequests || undefined,
      code: error?.code ?? use?.code,
    },
    status >= 500 ? error : undefined,
  );
