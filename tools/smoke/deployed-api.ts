import { type Check, NotTriedError } from './check.ts';
import type { DeployedApi } from './deployed-stack.ts';

/** What a document says of a route, a preflight or a refusal: field by field, in words that can be compared. */
type Fields = Record<string, string>;

// biome-ignore lint/suspicious/noExplicitAny: documents, and what their authors put into them.
type Part = any;

/** Checks that API Gateway serves what the stack's template says: it leaves out what it does not understand. */
export const deployedApiChecks: Check[] = [
  {
    title: 'the deployed API has the routes, preflights and refusals of the template',
    run: async ({ deployed }) => {
      if (!deployed) throw new NotTriedError('Here is no deployment.');
      return differencesOfApis(await deployed.api());
    },
  },
];

const differencesOfApis = ({ exported, template, nameOf }: DeployedApi): string[] => {
  const there = read(exported, nameOf);
  const wanted = read(template, nameOf);
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(there)])];
  return names.flatMap((name) => differencesOf(name, there[name], wanted[name]));
};

const differencesOf = (name: string, there?: Fields, wanted?: Fields): string[] => {
  if (!there) return [`${name} is not there.`];
  if (!wanted) return [`${name} is there, and not in the template.`];
  return [...new Set([...Object.keys(wanted), ...Object.keys(there)])]
    .filter((field) => there[field] !== wanted[field])
    .map(
      (field) =>
        `${name}: ${field} is ${there[field] ?? 'not there'} instead of ${wanted[field] ?? 'nothing'}.`,
    );
};

/** Reads an OpenAPI document with API Gateway's extensions: what it is about, by its name. */
const read = (document: Part, nameOf: DeployedApi['nameOf']): Record<string, Fields> =>
  Object.fromEntries([
    ...Object.entries<Part>(document.paths ?? {}).flatMap(([path, item]) =>
      Object.entries<Part>(item).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        readIntegration(operation['x-amazon-apigateway-integration'] ?? {}, nameOf),
      ]),
    ),
    ...Object.entries<Part>(document['x-amazon-apigateway-gateway-responses'] ?? {}).map(
      ([type, response]) => [`The refusal ${type}`, fieldsIn(response)],
    ),
  ]);

const readIntegration = (integration: Part, nameOf: DeployedApi['nameOf']): Fields => {
  const { type, uri, credentials, timeoutInMillis = 29_000 } = integration;
  const { httpMethod, requestTemplates, responses } = integration;
  const kind = String(type).toLowerCase();
  // An export has more: what API Gateway sets by itself, such as a proxy's responses.
  if (kind !== 'aws_proxy') return { type: kind, ...fieldsIn({ requestTemplates, responses }) };
  const fields = { httpMethod, timeoutInMillis: String(timeoutInMillis) };
  return { type: kind, ...fields, function: nameOf(uri), role: nameOf(credentials) };
};

/** Every text in an object, by the way to it. */
const fieldsIn = (part: Part): Fields =>
  Object.fromEntries(
    Object.entries<Part>(part ?? {}).flatMap(([name, value]): [string, string][] => {
      if (typeof value !== 'object') return value === undefined ? [] : [[name, String(value)]];
      return Object.entries(fieldsIn(value)).map(([inner, text]) => [`${name} ${inner}`, text]);
    }),
  );
