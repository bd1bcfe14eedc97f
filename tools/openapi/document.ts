import type { RoutedOperation } from '../../lib/operations/definition.ts';
import { methods } from '../../lib/operations/route.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { type Exchange, requestExamplesOf } from './examples.ts';
import { parameterComponents, parameters } from './parameters.ts';
import { headerComponents, responsesOf, SharedResponses } from './responses.ts';
import { Schemas } from './schemas.ts';
import { info, needsOf, security, securitySchemes, servers, tagOf, tags } from './texts.ts';
import { posted } from './webhook-messages.ts';

/** The OpenAPI document of the operations, with what a running service answered as its examples. */
export const openApiDocument = (
  operations: readonly RoutedOperation[],
  exchanges: readonly Exchange[],
) => {
  const schemas = new Schemas();
  const shared = new SharedResponses(schemas, exchanges);
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of [...operations].sort(inReadingOrder)) {
    const own = exchanges.filter(({ operationId }) => operationId === operation.id);
    paths[operation.path] ??= {};
    const json = operation.request.body && {
      schema: schemas.add(operation.request.body, 'input'),
      examples: requestExamplesOf(own),
    };
    paths[operation.path]![operation.method.toLowerCase()] = {
      operationId: operation.id,
      tags: [tagOf(operation.path)],
      summary: operation.summary,
      description: `${operation.description}\n\nNeeds ${needsOf(operation)}.`,
      parameters: parameters(schemas, operation, own),
      ...(json && {
        requestBody: {
          required: true,
          content: {
            'application/json': json,
            ...(isMergePatch(operation) && { 'application/merge-patch+json': json }),
          },
        },
      }),
      responses: responsesOf(schemas, shared, operation, exchanges),
    };
  }
  const webhooks = posted(schemas);
  return {
    openapi: '3.1.1',
    info: { ...info, version: packageJson.version },
    servers,
    security,
    tags,
    paths,
    webhooks,
    components: {
      securitySchemes,
      parameters: parameterComponents,
      headers: headerComponents,
      responses: inOrder(shared.components),
      schemas: inOrder(schemas.components),
    },
  };
};

/** Whether the body is a merge patch (RFC 7396): every `PATCH`, but not of a batch, which has patches in a list. */
const isMergePatch = (operation: RoutedOperation): boolean =>
  operation.method === 'PATCH' && !('parts' in operation);

const areas = tags.map(({ name }) => name);

/** Operations by area, then from the collection to what is in it, then by method. */
const inReadingOrder = (a: RoutedOperation, b: RoutedOperation): number =>
  areas.indexOf(tagOf(a.path)) - areas.indexOf(tagOf(b.path)) ||
  (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) ||
  methods.indexOf(a.method) - methods.indexOf(b.method);

const inOrder = (named: Record<string, object>) =>
  Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
