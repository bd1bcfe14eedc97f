import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { membersOnly, rolePermissions } from '../../lib/operations/permissions.ts';
import { demoApiKey } from '../../tools/demo/demo.ts';
import { routes } from '../support/api.ts';
import { type DemoService, startDemoService } from '../support/demo-service.ts';
import { some } from '../support/some.ts';

// What programs that import the local runner's document send, with an API key and nothing else. The programs themselves are
// not here: what they make of a document was found out with openapi-to-postmanv2 6.3 and @usebruno/cli 4.1.

interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  example?: string;
  schema: { default?: unknown; enum?: string[]; items?: { enum?: string[] }; allOf?: Parameter[] };
}
interface Operation {
  operationId: string;
  parameters: Parameter[];
  requestBody?: {
    content: { 'application/json': { examples: Record<string, { value: object }> } };
  };
  security?: object[];
}
// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes.
let document: any;
let demo: DemoService;
let key: string;

const parametersOf = ({ parameters }: Operation): Parameter[] =>
  parameters.map((one) =>
    one.$ref ? document.components.parameters[one.$ref.split('/').at(-1)!] : one,
  );

/** A value that Postman finds: of the example, else the default, else a choice. */
const sampleOf = ({ example, schema }: Parameter): unknown => {
  const inside = schema.allOf?.[1]?.example;
  return example ?? inside ?? schema.default ?? schema.enum?.[0] ?? schema.items?.enum?.slice(0, 2);
};

const asQuery = (name: string, value: unknown): string[] => {
  if (Array.isArray(value)) return value.map((one) => `${name}=${one}`);
  if (typeof value !== 'object') return [`${name}=${value}`];
  return Object.entries(value ?? {}).map(([one, text]) => `${name}[${one}]=${text}`);
};

const requestsOf = () =>
  Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  );

type ImportedRequest = ReturnType<typeof requestsOf>[number];

/** Sends it as Postman does, with all that may be left out, or without, as Bruno: with a plus as it is. */
const send = ({ path, method, operation }: ImportedRequest, isWhole: boolean) => {
  const sent = parametersOf(operation).filter(({ in: where }) => isWhole || where === 'path');
  const of = (where: Parameter['in']) => sent.filter((one) => one.in === where);
  const filled = of('path').reduce(
    (text, one) => text.replace(`{${one.name}}`, String(sampleOf(one))),
    path,
  );
  const query = of('query').flatMap((one) => asQuery(one.name, sampleOf(one)));
  const body = Object.values(operation.requestBody?.content['application/json'].examples ?? {})[0]
    ?.value;
  return fetch(`${document.servers[0].url}${filled}?${query.join('&')}`, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
      ...Object.fromEntries(of('header').map((one) => [one.name, String(sampleOf(one))])),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
};

const mayBeDone = (operationId: string): boolean => {
  const { permission } = routes.find(({ id }) => id === operationId)!;
  return (
    permission === undefined ||
    (rolePermissions.admin.has(permission) && !membersOnly.has(permission))
  );
};

const programs = [
  ['without what may be left out, as Bruno', false],
  ['with all that may be sent, as Postman', true],
] as const;

describe.each(some(programs, 1, 'imports'))('%s', (_how, isWhole) => {
  beforeAll(async () => {
    demo = await startDemoService();
    const { service, organization } = demo;
    key = await demoApiKey(service, organization);
    const url = `${new URL(service.baseUrl).origin}/docs/openapi.json`;
    document = await (await fetch(url)).json();
  });

  afterAll(() => demo?.close());

  test('all that is secret is the key: generated clients send it in no other header', () => {
    expect(document.security).toEqual([{ bearer: [] }]);
    expect(Object.keys(document.components.securitySchemes)).toEqual(['bearer']);
    for (const { operation } of requestsOf()) expect(operation.security).toBeUndefined();
  });

  test('whatever may be left out has a value to send', () => {
    const without = requestsOf().flatMap(({ operation }) =>
      parametersOf(operation)
        .filter((one) => sampleOf(one) === undefined)
        .map(({ name }) => `${operation.operationId} ${name}`),
    );
    expect(without, 'to be added to tools/openapi/parameter-examples.ts').toEqual([]);
    // Bruno sends no query, whatever is required.
    const required = requestsOf().flatMap(({ operation }) =>
      parametersOf(operation).filter((one) => one.in !== 'path' && one.required),
    );
    expect(required).toEqual([]);
  });

  test('each request succeeds, or is not allowed, or names what is not there', async () => {
    const ended = { succeeded: 0, forbidden: 0 };
    for (const request of requestsOf()) {
      const { operationId } = request.operation;
      const answer = await send(request, isWhole);
      const told = [operationId, answer.status, await answer.text()];
      if (!mayBeDone(operationId)) {
        ended.forbidden++;
        expect(told).toEqual([operationId, 403, told[2]]);
        continue;
      }
      if (answer.ok) ended.succeeded++;
      // What the examples name is not all there.
      else expect(told).toEqual([operationId, 404, told[2]]);
    }
    expect(ended.forbidden).toBe(10);
    expect(ended.succeeded).toBeGreaterThanOrEqual(30);
  });
});
