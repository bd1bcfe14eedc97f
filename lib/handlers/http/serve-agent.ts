import type { OpenRequest } from '../../admission/open-request.ts';
import { type AgentTerms, type ToolUse, toolboxFor } from '../../agents/toolbox.ts';
import { ApiError } from '../../errors/errors.ts';
import { answerMessage, type Toolbox } from '../../mcp/protocol.ts';
import type { AgentEndpoint } from '../../operations/kinds/agent-endpoint.ts';
import { replyBeforeTimeoutMs } from '../../table/retry.ts';
import { openEnvironment } from './environment.ts';
import { singleHeader } from './headers.ts';
import { type ForeignMiddleware, type HttpHandler, middy } from './middleware.ts';
import { authentication } from './middlewares/authentication.ts';
import { errorEnvelope } from './middlewares/error-envelope.ts';
import { type JsonBody, jsonBody } from './middlewares/json-body.ts';
import { knownOrigin } from './middlewares/known-origin.ts';
import { organizationHeader } from './middlewares/organization-header.ts';
import { requestLog } from './middlewares/request-log.ts';
import { requestScope } from './middlewares/request-scope.ts';

// docs/decisions/agents.md
/**
 * Makes the Lambda handler of an agents' endpoint: the chain of every request, with a message in place of an operation. `others`
 * are middlewares that stand around all of ours.
 */
export const serveAgent = (
  endpoint: AgentEndpoint,
  terms: AgentTerms,
  ...others: ForeignMiddleware[]
): HttpHandler => {
  const { table, verifier, memory } = openEnvironment();
  return middy({ timeoutEarlyInMillis: replyBeforeTimeoutMs })
    .use(others)
    .use(requestLog(endpoint))
    .use(errorEnvelope(endpoint))
    .use(requestScope(table, memory))
    .handler(
      middy<OpenRequest>()
        .use(knownOrigin())
        .use(authentication(verifier))
        .use(organizationHeader(endpoint))
        .use(jsonBody(endpoint))
        .handler(async (event, context) => {
          const { json, organizationId } = context;
          const use: ToolUse = {};
          Object.assign(context, { use });
          const toolbox = toolboxFor(terms, context, organizationId, context, use);
          const message = await readMessage(json, toolbox);
          return answerMessage(message, (name) => singleHeader(event, name), toolbox);
        }),
    );
};

/** The message that was sent. Who is no caller is refused for that, and hears nothing of the body. */
const readMessage = async ({ read, isLarge }: JsonBody['json'], { admit }: Toolbox) => {
  try {
    if (isLarge) throw new ApiError('payload_too_large');
    return read();
  } catch (error) {
    await admit();
    throw error;
  }
};
