/**
 * Has Stryker leave descriptions of schemas as they are: the OpenAPI document has them, and a test holds
 * that it is current.
 */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'documentation',
    value: {
      shouldIgnore: (path) =>
        path.isCallExpression() &&
        ['describe', 'meta'].includes(path.node.callee.property?.name) &&
        path.node.callee.object?.name === 'z'
          ? 'docs/openapi.json is tested to be current'
          : undefined,
    },
  },
];
