import { errorKinds } from '../../lib/errors/errors.ts';
import type { AnyInternalOperation } from '../../lib/operations/kinds/internal-operation.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { Schemas } from './schemas.ts';

/**
 * What the functions without a route take and answer, as the schemas of an OpenAPI document without paths:
 * the client's types are made of it. `PutPlanInput` and `PutPlanAnswer` are those of `putPlan`.
 */
export const functionsDocument = (operations: readonly AnyInternalOperation[]): string => {
  const schemas = new Schemas();
  const own = [...operations]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap(({ id, summary, request, response }) => {
      const name = id.charAt(0).toUpperCase() + id.slice(1);
      return [
        [`${name}Input`, { description: summary, ...schemas.add(request.body, 'input') }],
        [`${name}Answer`, schemas.add(response.body, 'output')],
      ];
    });
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Functions without a route',
      description: 'Other services of the same AWS account invoke them with IAM.',
      version: packageJson.version,
    },
    paths: {},
    components: {
      schemas: {
        ...Object.fromEntries(own),
        ...schemas.components,
        FunctionErrorCode: { enum: Object.keys(errorKinds), type: 'string' },
      },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
};
