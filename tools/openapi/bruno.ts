import { basename } from 'node:path';
import { tags } from './texts.ts';

// As much of the document as the collection is made of.
interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  example?: string;
}
interface DescribedOperation {
  operationId: string;
  tags: string[];
  description: string;
  parameters: Parameter[];
  requestBody?: {
    content: { 'application/json': { examples: Record<string, { value: object }> } };
  };
  responses: Record<string, unknown>;
}
export interface Document {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { parameters: Record<string, Parameter> };
}

/** In the order in which they can be run: leads need a pipeline, and a member who owns them. */
const firstAreas = ['Pipelines', 'Members'];
const areas = [
  ...firstAreas,
  ...tags.map(({ name }) => name).filter((name) => !firstAreas.includes(name)),
];
const methods = ['post', 'put', 'patch', 'get', 'delete'];

/** What a request has in place of its example: what there is, and what is not taken. */
const filledIn: Record<string, string> = {
  q: 'maria',
  key: 'field_{{$timestamp}}',
  id: '{{lead_id}}',
  from: '{{other_lead_id}}',
  pipeline_id: '{{pipeline_id}}',
  owner_id: '{{owner_id}}',
  email: '{{$guid}}@example.com',
};

/** The files of a Bruno collection that calls each operation, by their paths in it. */
export const brunoCollection = (document: Document): Map<string, string> => {
  const { OrganizationId } = document.components.parameters;
  const user = document.paths['/members/{user_id}']?.delete?.parameters.find(isIn('path'))?.example;
  const files = new Map([
    [
      'bruno.json',
      `${JSON.stringify({ version: '1', name: 'Leads and stars', type: 'collection' })}\n`,
    ],
    [
      'collection.bru',
      blocks(
        block('headers', ['X-Organization-Id: {{organization_id}}']),
        block('auth', ['mode: bearer']),
        block('auth:bearer', ['token: {{token}}']),
      ),
    ],
    [
      'environments/local.bru',
      blocks(
        block('vars', [
          'base_url: http://localhost:3000/v1',
          `organization_id: ${OrganizationId?.example}`,
          `user_id: ${user}`,
        ]),
        'vars:secret [\n  token\n]',
      ),
    ],
  ]);
  for (const [index, area] of areas.entries()) {
    const meta = block('meta', [`name: ${area}`, `seq: ${index + 1}`]);
    files.set(`${area}/folder.bru`, blocks(meta, block('auth', ['mode: inherit'])));
    for (const [seq, one] of inOrder(document, area).entries()) {
      files.set(`${area}/${one.operation.operationId}.bru`, requestFile(document, one, seq + 1));
    }
  }
  return files;
};

interface Route {
  path: string;
  method: string;
  operation: DescribedOperation;
}

/**
 * The requests of an area in the order in which they are run: lists, then creates, changes and reads, then deletes, and
 * erasing last. What belongs to something is deleted before it.
 */
const inOrder = ({ paths }: Document, area: string): Route[] =>
  Object.entries(paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
    )
    .filter(({ operation }) => operation.tags.includes(area))
    .sort((a, b) => rank(a) - rank(b) || (a.method === 'delete' ? depth(b) - depth(a) : 0));

const depth = ({ path }: Route): number => path.split('/').length;

const rank = ({ path, method }: Route): number => {
  if (path.endsWith('/erase')) return methods.length;
  return method === 'get' && !path.includes('{') ? -1 : methods.indexOf(method);
};

/** An operation may have two statuses of success: one where it makes something, one where that was there before. */
const expected = (statuses: readonly string[]): string => {
  const [one, ...others] = statuses.filter((status) => status.startsWith('2'));
  return others.length === 0 ? `eq ${one}` : `in [${[one, ...others].join(', ')}]`;
};

const requestFile = (
  document: Document,
  { path, method, operation }: Route,
  seq: number,
): string => {
  const { operationId, description, requestBody, responses } = operation;
  const parameters = operation.parameters.map(({ $ref, ...own }) =>
    $ref ? document.components.parameters[basename($ref)]! : own,
  );
  const [example] = Object.values(requestBody?.content['application/json'].examples ?? {});
  const headers = parameters
    .filter(isIn('header'))
    .filter(({ name }) => name !== 'X-Organization-Id')
    .map(({ name }) => (name === 'Idempotency-Key' ? `${name}: {{$guid}}` : `~${name}: `));
  const query = parameters.filter(isIn('query'));
  // Bruno sends what its URL has; the parameters below it are what its form shows.
  const sent = query
    .filter(({ required }) => required)
    .map(({ name }) => `${name}=${filledIn[name]}`)
    .join('&');
  const url = `{{base_url}}${path.replace(/\{(\w+)\}/g, ':$1')}${sent && `?${sent}`}`;
  return blocks(
    block('meta', [`name: ${operationId}`, 'type: http', `seq: ${seq}`]),
    block(method, [`url: ${url}`, `body: ${example ? 'json' : 'none'}`, 'auth: inherit']),
    block(
      'params:query',
      query.map(({ name, required }) => (required ? `${name}: ${filledIn[name]}` : `~${name}: `)),
    ),
    block(
      'params:path',
      parameters.filter(isIn('path')).map(({ name }) => `${name}: {{${name}}}`),
    ),
    block('headers', headers),
    block('body:json', example ? jsonLines(example.value) : []),
    block('vars:post-response', takenFrom(document, { path, method, operation })),
    block('assert', [`res.status: ${expected(Object.keys(responses))}`]),
    block('docs', description.split('\n')),
  );
};

/**
 * What later requests take from an answer: the id for `/things/{thing_id}`, the key for `/things/{key}`.
 * It is that of a thing that was just made; but pipelines and members are those that were there before.
 */
const takenFrom = ({ paths }: Document, { path, method, operation }: Route): string[] => {
  if (operation.operationId === 'listMembers') return ['owner_id: res.body.items[0].user_id'];
  if (operation.operationId === 'createLeads') {
    return ['other_lead_id: res.body.items[0].lead.id'];
  }
  const parameter = Object.keys(paths)
    .filter((other) => other.startsWith(`${path}/{`))
    .map((other) => other.slice(path.length).match(/^\/\{(\w+)\}$/)?.[1])
    .find(Boolean);
  const isThere = operation.tags.some((tag) => firstAreas.includes(tag));
  if (!parameter || method !== (isThere ? 'get' : 'post')) return [];
  const name = parameter.endsWith('_id') ? 'id' : parameter;
  return [`${parameter}: res.body.${isThere ? 'items[0].' : ''}${name}`];
};

const isIn = (where: Parameter['in']) => (parameter: Parameter) => parameter.in === where;

/** A body as in the examples, for whatever organization it is sent to. */
const jsonLines = (value: object): string[] =>
  JSON.stringify(value, (key, example) => filledIn[key] ?? example, 2).split('\n');

const block = (name: string, lines: string[]): string =>
  lines.length === 0
    ? ''
    : `${name} {\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n}`;

const blocks = (...all: string[]): string => `${all.filter(Boolean).join('\n\n')}\n`;
