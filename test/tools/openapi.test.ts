import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, expect, inject, test } from 'vitest';
import { hasBody } from '../../lib/operations/route.ts';
import { errorsPage } from '../../tools/openapi/errors-page.ts';
import { generate } from '../../tools/openapi/generator.ts';
import { Recorder } from '../../tools/openapi/recorder.ts';
import { toolSchemas } from '../../tools/openapi/tool-schemas.ts';
import { routes } from '../support/api.ts';
import { provision } from '../support/organization.ts';
import { prepared } from '../support/prepared.ts';

const file = join(import.meta.dirname, '../../docs/openapi.json');

interface Media {
  schema: object;
  examples?: Record<string, { value: object }>;
}

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes.
let document: any;
let text: string;

beforeAll(async () => {
  text = await readFile(file, 'utf8');
  document = JSON.parse(text);
});

test('the committed document is what the definitions say and a running service answers; else `npm run openapi`', async () => {
  const logs = openSync(inject('service').logFile, 'a');
  const generated = await generate({ logs, prepared: await prepared() }).finally(() =>
    closeSync(logs),
  );
  expect(JSON.parse(generated)).toEqual(document);
  expect(generated).toBe(text);
});

test('what agents are told of arguments is what the operations take; else `npm run openapi`', async () => {
  const committed = join(import.meta.dirname, '../../lib/agents/schemas.ts');
  expect(toolSchemas()).toBe(await readFile(committed, 'utf8'));
});

test('the committed document has every operation, each with an example of its success', () => {
  const described = Object.values<object>(document.paths).flatMap((path) => Object.values(path));
  expect(described.map(({ operationId }) => operationId).sort(), 'run `npm run openapi`').toEqual(
    routes.map(({ id }) => id).sort(),
  );
  const without = described
    .filter(({ operationId, responses }) => {
      const operation = routes.find(({ id }) => id === operationId)!;
      const { status } = operation.response;
      const examples = responses[status].content?.['application/json'].examples ?? {};
      return hasBody(operation) === (Object.keys(examples).length === 0);
    })
    .map(({ operationId }) => operationId);
  expect(without, 'none of its examples has `docs: true`').toEqual([]);
});

test('an error declares each header that it has, also where a refusal is repeated', async () => {
  const organization = await provision();
  const { email } = await organization.lead({ email: 'maria@example.com' });
  const body = { contact_name: 'Maria', pipeline_id: organization.pipelineId, email };
  const options = { headers: { 'Idempotency-Key': crypto.randomUUID() } };
  await organization.post('/leads', body, options);
  const { status, headers } = await organization.post('/leads', body, options);
  const declared = Object.keys(document.paths['/leads'].post.responses[status].headers);
  const rateLimit = ['RateLimit', 'RateLimit-Policy'];
  expect(declared.sort()).toEqual(['Idempotency-Replayed', ...rateLimit, 'X-Request-Id']);
  expect(declared.filter((name) => !headers.has(name))).toEqual([]);
});

test('the committed page of errors is made of their table', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/errors.md'), 'utf8');
  expect(page, 'run `npm run openapi`').toBe(errorsPage);
});

/** Whatever has examples, wherever it is, by its JSON pointer. */
const withExamples = (value: unknown, at = '#'): [string, Media][] => {
  if (typeof value !== 'object' || value === null) return [];
  if ('schema' in value && 'examples' in value) return [[at, value as Media]];
  return Object.entries(value).flatMap(([key, one]) =>
    withExamples(one, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
};

test('every example is what its schema allows; with one more field, only an answer is', () => {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema(document, 'doc');
  const media = withExamples(document);
  expect(media.length).toBeGreaterThan(routes.length);
  for (const [pointer, { examples = {} }] of media) {
    const validate = ajv.compile({ $ref: `doc${encodeURI(pointer)}/schema` });
    for (const [name, { value }] of Object.entries(examples)) {
      const at = `${pointer} ${name}`;
      expect([at, validate(value), validate.errors]).toEqual([at, true, null]);
      const takesMore = validate({ ...value, undeclared: 1 });
      expect([at, takesMore]).toEqual([at, !pointer.includes('/requestBody/')]);
    }
  }
});

test('every example is an answer: recording fails where another is given', async () => {
  const { id: organization_id, users, tokens } = await provision();
  const sender = { organization_id, users, tokens };
  const recorder = new Recorder(inject('service').baseUrl, sender);
  await recorder.call(200, 'listLeads', ['GET', '/leads'], 'Some');
  await expect(recorder.call(201, 'listLeads', ['GET', '/leads'], 'Some')).rejects.toThrow(
    /should be 201/,
  );
  expect(recorder.exchanges().map(({ answer }) => answer.body)).toEqual([
    { items: [], next_cursor: null },
  ]);
});
